package scaffold

// overlayText labels what well-known commands do to the world: no more than
// that, so that a tool of the same name with other commands loses nothing. A
// constant costs a program that never asks for it nothing.
const overlayText = `# What known commands do: names effect: path, path, …  "." is the tool itself.
git read: status, log, diff, show, shortlog, blame, annotate, describe, grep, ls-files, ls-tree, ls-remote, rev-parse, rev-list, cat-file, diff-tree,
  diff-index, diff-files, for-each-ref, show-ref, show-branch, name-rev, cherry, count-objects, merge-base, merge-tree, check-ignore, check-attr, var, whatchanged,
  range-diff, verify-commit, verify-tag, get-tar-commit-id, version, help, remote show, remote get-url, stash list, stash show, worktree list, submodule status,
  config list, config get, notes list, notes show, bisect log, reflog show, reflog list
git write: add, commit, branch, tag, switch, checkout, merge, rebase, fetch, pull, push, clone, init, mv, restore, stash, cherry-pick, revert, remote, config, notes,
  submodule, worktree, apply, am, bundle, archive, format-patch, gc, maintenance, fsck, reflog, sparse-checkout, update-index, update-ref, repack, replace, rerere,
  hash-object, commit-tree, write-tree, symbolic-ref, remote add, remote rename, remote set-url, stash push, stash pop, stash apply, worktree add, submodule add, submodule update
git destructive: rm, clean, reset, prune, filter-branch, filter-repo, stash drop, stash clear, branch delete, remote remove, remote prune, worktree remove, reflog expire, reflog delete
git exec: bisect run, difftool, mergetool, submodule foreach, for-each-repo, shell, daemon, instaweb, send-email
gh read: pr list, pr view, pr diff, pr checks, pr status, issue list, issue view, issue status, repo list, repo view, run list, run view, run watch, workflow list,
  workflow view, release list, release view, gist list, gist view, search code, search commits, search issues, search prs, search repos, label list, secret list,
  variable list, variable get, status, auth status, cache list, ruleset list, ruleset view, ruleset check, project list, project view, project item-list, project field-list,
  org list, ssh-key list, gpg-key list, extension list, extension search, alias list, config list, config get, repo deploy-key list, attestation verify
gh write: pr create, pr edit, pr merge, pr close, pr reopen, pr comment, pr review, pr ready, pr checkout, pr lock, pr unlock, issue create, issue edit, issue close,
  issue reopen, issue comment, issue pin, issue unpin, issue lock, issue unlock, issue transfer, issue develop, repo create, repo clone, repo fork, repo edit, repo rename,
  repo sync, repo archive, repo unarchive, run rerun, run cancel, run download, workflow run, workflow enable, workflow disable, release create, release edit,
  release upload, release download, gist create, gist edit, label create, label edit, label clone, secret set, variable set, browse, api, auth login, auth logout, auth refresh, auth setup-git
gh destructive: repo delete, issue delete, release delete, release delete-asset, gist delete, run delete, label delete, secret delete, variable delete, cache delete, project delete
gh exec: codespace ssh, extension exec, copilot suggest
glab read: mr list, mr view, mr diff, mr approvers, issue list, issue view, repo view, repo search, ci list, ci status, ci trace, ci view, ci get, release list, release view, label list, variable list, variable get, pipeline list, schedule list, user events
glab write: mr create, mr merge, mr update, mr close, mr reopen, mr note, mr approve, mr revoke, mr rebase, mr checkout, issue create, issue update, issue close, issue note, repo clone, repo fork, repo create, ci run, ci retry, ci cancel, release create, api
glab destructive: mr delete, issue delete, repo delete, release delete, variable delete, label delete
kubectl,oc read: get, describe, logs, top, top node, top pod, explain, api-resources, api-versions, cluster-info, version, diff, events, auth can-i, auth whoami, config view,
  config get-contexts, config current-context, config get-clusters, config get-users, rollout status, rollout history, wait, kustomize, options
kubectl,oc write: apply, create, edit, patch, replace, scale, autoscale, expose, label, annotate, set, rollout restart, rollout undo, rollout pause, rollout resume, cordon,
  uncordon, taint, certificate approve, certificate deny, config set, config use-context, config set-context, cp, port-forward, proxy
kubectl,oc destructive: delete, drain, config delete-context, config delete-cluster, config delete-user, config unset
kubectl,oc exec: exec, run, attach, debug
docker,podman,nerdctl read: ps, images, logs, inspect, stats, top, port, diff, version, info, search, history, events, container ls, container list, container ps, container inspect, container logs,
  container stats, container top, container diff, container port, image ls, image list, image inspect, image history, image tree, network ls, network inspect, volume ls, volume inspect, system df, system info,
  context ls, context show, context inspect, compose ps, compose logs, compose config, compose images, compose ls, compose top, compose port, compose version, compose events, pod ps, pod inspect, pod logs, pod stats, pod top, secret ls, secret inspect, machine list, machine inspect, machine info, manifest inspect, buildx ls, buildx du, buildx inspect
docker,podman,nerdctl write: start, stop, restart, pause, unpause, pull, push, tag, build, create, commit, cp, rename, update, load, save, import, export, login, logout, wait, init, network create, network connect,
  network disconnect, volume create, image build, image pull, image push, image tag, image load, image save, container start, container stop, container restart, container create, compose up, compose build, compose pull, compose start, compose stop, compose restart, compose create, pod create, pod start, pod stop, generate, play, kube play
docker,podman,nerdctl destructive: rm, rmi, kill, container rm, container kill, container prune, image rm, image prune, network rm, network prune, volume rm, volume prune, system prune, system reset, builder prune, compose down, compose rm, compose kill, context rm, pod rm, pod kill, pod prune
docker,podman,nerdctl exec: run, exec, attach, container run, container exec, container attach, compose run, compose exec, compose attach, machine ssh, unshare
npm read: ls, list, ll, la, view, info, show, outdated, explain, why, search, ping, whoami, bin, root, prefix, help, help-search, fund, query, sbom, diff, doctor, team ls, owner ls, dist-tag ls, config list, config get, pkg get, profile get, token list, access list, find-dupes, get
npm write: install, i, ci, add, update, upgrade, uninstall, remove, rm, un, unlink, link, publish, pack, version, init, create, audit, audit fix, dedupe, prune, rebuild, config, config set, set, set-script, pkg, pkg set, login, logout, adduser, deprecate, dist-tag, owner, access, team, token, profile, star, unstar, shrinkwrap, install-test, install-ci-test, docs, repo, bugs, edit, completion, undeprecate, org, hook, stars
npm destructive: unpublish, cache clean, token revoke
npm exec: exec, x, run, run-script, test, start, stop, restart, explore
pnpm read: list, ls, ll, why, outdated, licenses, licenses list, root, bin, store path, store status, config list, config get, audit, view, cat-file, cat-index, find-hash
pnpm write: install, i, add, update, up, remove, rm, uninstall, link, unlink, import, rebuild, prune, fetch, dedupe, patch, patch-commit, publish, pack, deploy, init, create, setup, env, store prune, config set
pnpm exec: run, exec, dlx, test, start
yarn read: list, why, info, outdated, licenses, licenses list, audit, check, versions, bin, config list, config get, workspaces info, workspaces list, npm audit, npm info, npm whoami, constraints query
yarn write: add, install, remove, upgrade, up, link, unlink, publish, pack, version, init, set version, config set, dedupe, import, plugin import, rebuild, cache clean, create, autoclean
yarn exec: run, exec, dlx, node, test, start, workspace, workspaces foreach
pip read: list, show, freeze, check, search, index, index versions, inspect, hash, help, debug, cache list, cache dir, cache info, config list, config get
pip write: install, download, wheel, lock, config set, config edit, config unset
pip destructive: uninstall, cache purge, cache remove
cargo read: metadata, tree, search, info, pkgid, locate-project, read-manifest, verify-project, version, help, report, check, audit, outdated
cargo write: build, b, test, t, bench, doc, clippy, fmt, fix, add, remove, update, fetch, new, init, install, publish, package, vendor, generate-lockfile, login, logout, owner, yank, rustc, rustdoc, config
cargo destructive: clean, uninstall
cargo exec: run, r
go read: list, env, version, doc, vet, help, mod graph, mod why, mod verify
go write: build, install, get, test, fmt, fix, generate, mod tidy, mod init, mod download, mod edit, mod vendor, work init, work use, work sync, work edit, mod, work, telemetry
go destructive: clean
go exec: run, tool
terraform,tofu read: show, validate, version, providers, output, graph, state list, state show, workspace list, workspace show, get-help, metadata functions, providers schema
terraform,tofu write: init, plan, apply, fmt, import, refresh, get, taint, untaint, login, logout, state mv, state push, state pull, workspace new, workspace select, force-unlock, test, providers lock, providers mirror
terraform,tofu destructive: destroy, state rm, workspace delete
terraform,tofu exec: console
helm read: list, ls, status, get all, get values, get manifest, get notes, get hooks, get metadata, history, show all, show chart, show values, show readme, show crds, search repo, search hub, template, lint, version, env, repo list, dependency list, plugin list, verify, diff upgrade
helm write: install, upgrade, rollback, repo add, repo update, repo index, create, package, pull, push, dependency update, dependency build, plugin install, plugin update, registry login, registry logout, test
helm destructive: uninstall, delete, repo remove, plugin uninstall
aws read: s3 ls, sts get-caller-identity, configure list, configure get
aws write: s3 cp, s3 mv, s3 sync, s3 mb, s3 presign, configure, configure set, sso login, sso logout
aws destructive: s3 rm, s3 rb
gcloud read: info, version, config list, auth list, projects list, compute instances list
gcloud write: init, auth login, config set, components update, components install
gcloud exec: compute ssh
az read: version, account show, account list, group list, group show, resource list, vm list, find
az write: login, logout, configure, upgrade, group create, rest
az destructive: group delete, resource delete
az exec: interactive, vm run-command invoke
systemctl read: list-units, list-automounts, list-paths, list-sockets, list-timers, is-active, is-failed, is-enabled, status, show, cat, help, list-dependencies, list-unit-files, list-machines, list-jobs, show-environment, is-system-running, get-default, whoami
systemctl write: start, stop, reload, restart, try-restart, reload-or-restart, try-reload-or-restart, isolate, freeze, thaw, set-property, bind, mount-image, service-log-level, service-log-target, enable, disable, reenable, preset, preset-all, mask, unmask, link, revert, add-wants, add-requires, edit, set-default, cancel, set-environment, unset-environment, import-environment, daemon-reload, daemon-reexec, log-level, log-target, service-watchdogs, reset-failed, suspend, hibernate, hybrid-sleep, default, rescue, emergency, soft-reboot, switch-root
systemctl destructive: kill, clean, halt, poweroff, reboot, kexec, exit
journalctl read: .
apt,apt-get,aptitude read: list, search, show, showsrc, policy, depends, rdepends, changelog, check, moo, why, why-not
apt,apt-get,aptitude write: update, upgrade, full-upgrade, dist-upgrade, safe-upgrade, install, reinstall, satisfy, build-dep, edit-sources, download, source, hold, unhold, modernize-sources
apt,apt-get,aptitude destructive: remove, purge, autoremove, autopurge, clean, autoclean, distclean
apt-cache read: show, search, policy, depends, rdepends, pkgnames, madison, stats, showpkg, showsrc, dump, unmet
dnf,yum read: list, info, search, repolist, repoinfo, provides, repoquery, check, check-update, history list, history info, deplist, updateinfo
dnf,yum write: install, upgrade, update, downgrade, reinstall, distro-sync, makecache, mark, swap, group install
dnf,yum destructive: remove, erase, autoremove, clean
brew read: list, ls, info, search, outdated, deps, uses, leaves, desc, config, doctor, options, cat, log, missing, formulae, casks, commands, services list, livecheck, audit
brew write: install, upgrade, update, tap, link, unlink, pin, unpin, reinstall, fetch, create, edit, services start, services stop, services restart, bundle, migrate, postinstall
brew destructive: uninstall, remove, rm, untap, cleanup, autoremove
brew exec: sh, ruby, irb
flatpak read: list, info, search, history, remotes, remote-ls, remote-info, ps, documents, document-info, permissions, permission-show
flatpak write: install, update, mask, pin, override, make-current, remote-add, remote-modify, document-export, document-unexport, permission-set, create-usb, build-init, build, build-finish, build-export, build-bundle, build-import-bundle, build-sign, build-update-repo, build-commit-from, repair
flatpak destructive: uninstall, remote-delete, kill, permission-remove, permission-reset
flatpak exec: run, enter, spawn
snap read: list, info, find, changes, tasks, version, services, logs, interfaces, connections, get, known, model, warnings, whoami, connection, aliases, saved, check-snapshot
snap write: install, refresh, revert, enable, disable, start, stop, restart, connect, disconnect, alias, unalias, prefer, set, unset, switch, save, restore, download, ack, login, logout, abort, watch, try, pack, wait, create-user, create-cohort
snap destructive: remove, forget
snap exec: run, shell
svn read: log, status, stat, st, diff, di, info, list, ls, cat, blame, praise, annotate, ann, propget, pget, pg, proplist, plist, pl, mergeinfo, help
svn write: add, checkout, co, cleanup, commit, ci, copy, cp, export, import, lock, unlock, merge, mkdir, move, mv, patch, propedit, propset, relocate, resolve, resolved, switch, sw, update, up, upgrade, changelist, auth, rename, ren
svn destructive: delete, del, remove, rm, revert, propdel
hg read: log, history, status, diff, annotate, blame, cat, files, grep, heads, identify, id, incoming, outgoing, manifest, parents, paths, root, summary, tags, tip, verify, version, help, locate, branches, config
hg write: add, addremove, commit, ci, clone, copy, cp, export, forget, graft, import, init, merge, move, mv, pull, push, rebase, resolve, revert, tag, branch, bookmarks, bookmark, unbundle, update, up, checkout, shelve, unshelve, backout, bundle, archive, recover
hg destructive: remove, rm, purge, strip, rollback
hg exec: serve, bisect, debugshell
restic read: snapshots, ls, find, diff, stats, check, cat, list, version, key list, features, options, help
restic write: backup, restore, init, copy, tag, rebuild-index, recover, migrate, unlock, mount, self-update, cache, generate, dump, key add, key passwd, repair, repair index, repair packs, repair snapshots, rewrite, key
restic destructive: forget, prune, key remove
borg read: list, info, diff, check, help, key export, repo-list, repo-info
borg write: create, extract, init, mount, umount, rename, export-tar, import-tar, upgrade, config, key import, key change-passphrase, recreate, compact, serve, key, benchmark, with-lock, break-lock, transfer
borg destructive: delete, prune, repo-delete
rclone read: ls, lsl, lsd, lsf, lsjson, size, check, cat, about, listremotes, md5sum, sha1sum, hashsum, tree, version, config show, config file, config dump, config paths, cryptcheck, checksum, help
rclone write: copy, copyto, copyurl, sync, bisync, move, moveto, mkdir, touch, link, mount, serve, settier, rcat, config, config create, config update, obscure, archive, authorize, backend, selfupdate
rclone destructive: delete, deletefile, purge, rmdir, rmdirs, dedupe, cleanup, config delete
rsync,scp,curl,nmap,wget,openssl,tar,sed,ffmpeg,dd,convert,pandoc,nc,iptables write: .
openssl read: x509, version, list, verify, ciphers, asn1parse, crl, errstr, speed, prime, dgst, info, storeutl, nseq, ocsp, crl2pkcs7
openssl write: req, genrsa, genpkey, gendsa, rsa, rsautl, pkcs12, pkcs7, pkcs8, pkey, pkeyutl, pkeyparam, ca, enc, cms, smime, dhparam, dsa, ec, ecparam, rand, passwd, rehash, spkac, srp, ts, mac, kdf, s_client, s_server, fipsinstall, engine, sess_id, cmp
jq,gojq,fd,fdfind,rg,ripgrep,grep,egrep,fgrep,zgrep,ack,ag,eslint,gofmt,shellcheck,yamllint,hadolint,lsd,hexyl,od,hexdump,cut,tr,uniq,comm,paste,nl,rev,tac,column,seq,cal,last,w,who,groups,getent,locale,lsmod,lspci,lsusb,lsns,findmnt,vmstat,iostat,pidof,pgrep,pstree,ls,cat,ps,df,du,tree,exa,eza,bat,batcat,head,tail,wc,stat,file,dig,nslookup,ping,lsblk,lscpu,free,uname,id,whoami,uptime,which,tokei,cloc,ncdu,diff,cmp,md5sum,sha256sum,lsof,ss,netstat,tldr,man,strings,nm,readelf,objdump read: .
rm,shred,mkfs,wipefs,kill,pkill,killall destructive: .
env,xargs,sudo,ssh,watch,timeout,nohup,sh,bash exec: .
redis-cli,psql,mysql,sqlite3,mongosh exec: .
tmux read: list-sessions, list-windows, list-panes, list-clients, list-keys, list-commands, list-buffers, show-options, show-environment, show-buffer, show-messages, has-session, show-hooks, show-window-options, info, server-info
tmux write: new-session, new-window, attach-session, detach-client, rename-session, rename-window, select-window, select-pane, set-option, set-environment, set-buffer, load-buffer, save-buffer, paste-buffer, copy-mode, switch-client, resize-pane, swap-pane, start-server, link-window, move-window, bind-key, unbind-key, source-file
tmux destructive: kill-session, kill-window, kill-pane, kill-server, delete-buffer, clear-history
tmux exec: run-shell, if-shell, split-window, respawn-pane, respawn-window, send-keys, pipe-pane, command-prompt, display-popup, confirm-before
ip read: address show, addr show, link show, route show, route get, neigh show, rule show, netns list, maddress show, monitor, neighbour show, tunnel show
ip write: address, addr, link, route, neigh, neighbour, rule, netns, tunnel, maddress, address add, link set, link add, route add, route replace, netns add
ip destructive: address flush, address delete, link delete, route flush, route delete, netns delete
ip exec: netns exec, vrf exec, vrf
btrfs read: subvolume list, subvolume show, subvolume get-default, subvolume find-new, filesystem show, filesystem df, filesystem du, filesystem usage, device stats, device usage, scrub status, balance status, check, inspect-internal dump-tree, inspect-internal dump-super, inspect-internal inode-resolve, inspect-internal logical-resolve, property get, property list, qgroup show, quota status, version
btrfs write: subvolume create, subvolume snapshot, subvolume set-default, subvolume sync, filesystem defragment, filesystem resize, filesystem label, filesystem sync, filesystem mkswapfile, device add, device scan, device ready, scrub start, scrub cancel, scrub resume, scrub limit, balance start, balance pause, balance cancel, balance resume, property set, quota enable, quota disable, quota rescan, qgroup create, qgroup assign, send, receive, replace start, replace cancel, rescue, restore
btrfs destructive: subvolume delete, device delete, device remove, qgroup destroy, qgroup remove, rescue zero-log
zfs read: list, get, diff, holds, version, userspace, groupspace, projectspace, help
zfs write: create, snapshot, clone, promote, rename, set, inherit, mount, unmount, share, unshare, send, receive, bookmark, hold, release, allow, unallow, load-key, unload-key, change-key, upgrade, wait, program, jail, unjail
zfs destructive: destroy, rollback
zpool read: list, status, iostat, history, events, get, version
zpool write: create, add, attach, detach, online, offline, replace, scrub, resilver, trim, import, export, upgrade, set, clear, initialize, split, checkpoint, reguid, reopen, sync, wait
zpool destructive: destroy, remove, labelclear
wrangler read: whoami, deployments list, deployments status, versions list, versions view, d1 list, d1 info, kv namespace list, kv key list, kv key get, r2 bucket list, r2 bucket info, secret list, queues list, queues info, tail, pages project list, pages deployment list
wrangler write: deploy, init, login, logout, dev, rollback, setup, publish, secret put, kv namespace create, kv key put, d1 create, d1 execute, d1 migrations apply, r2 bucket create, queues create, pages deploy, types, versions upload, versions deploy
wrangler destructive: delete, d1 delete, kv namespace delete, kv key delete, r2 bucket delete, r2 object delete, secret delete, queues delete, pages project delete
vercel read: ls, list, inspect, logs, whoami, env ls, domains ls, domains inspect, dns ls, teams ls, projects ls, certs ls, alias ls
vercel write: deploy, build, dev, link, pull, promote, rollback, redeploy, login, logout, env add, env pull, alias set, alias, domains add, init, switch
vercel destructive: remove, rm, env rm, domains rm, projects rm, dns rm, alias rm, certs rm
netlify,ntl read: status, sites:list, env:list, env:get, functions:list, logs, logs:function, logs:deploy, api:list, watch, recipes:list, blobs:list, blobs:get
netlify,ntl write: api, build, deploy, dev, init, link, unlink, login, logout, open, sites:create, env:set, env:import, env:clone, functions:create, functions:serve, recipes, switch, clone, blobs:set, completion
netlify,ntl destructive: sites:delete, env:unset, blobs:delete
netlify,ntl exec: dev:exec, functions:invoke
heroku read: apps, apps:info, apps:list, addons, addons:info, config, config:get, domains, logs, pg:info, ps, releases, releases:info, status, whoami, auth:whoami, certs, pipelines, access, buildpacks, spaces
heroku write: apps:create, create, config:set, config:unset, ps:scale, ps:restart, ps:stop, releases:rollback, addons:create, addons:attach, domains:add, maintenance:on, maintenance:off, auth:login, login, logout, buildpacks:set, git:remote, pipelines:create
heroku destructive: apps:destroy, destroy, addons:destroy, domains:remove, pg:reset, pipelines:destroy, certs:remove
heroku exec: run, run:detached, ps:exec, console, pg:psql
fly,flyctl read: status, logs, apps list, apps show, releases, machine list, machine status, ips list, regions list, secrets list, volumes list, volumes show, certs list, checks list, services list, version, platform status, auth whoami, orgs list, config show, info, image show, doctor
fly,flyctl write: launch, deploy, scale, scale count, scale vm, secrets set, secrets import, volumes create, volumes extend, machine start, machine stop, machine restart, machine update, apps create, apps restart, apps open, ips allocate-v4, certs add, auth login, auth logout, config save, regions add
fly,flyctl destructive: apps destroy, destroy, machine destroy, machine kill, volumes destroy, volumes delete, secrets unset, certs remove, ips release, orgs delete
fly,flyctl exec: ssh console, ssh sftp, machine exec, machine run, console, postgres connect
poetry read: show, check, search, env list, env info, about, source show, self show, cache list, debug info
poetry write: add, build, init, install, lock, new, publish, remove, update, sync, env use, source add, source remove, self update, self add, export
poetry destructive: env remove, cache clear
poetry exec: run, shell
pm2 read: list, ls, status, jlist, prettylist, describe, show, info, logs, env, id, pid, report, monit, module:list, get, desc
pm2 write: start, stop, restart, reload, scale, save, dump, resurrect, startup, unstartup, reset, set, multiset, update, install, module:update, ping, flush, reloadLogs, sendSignal, attach, deploy, serve, link, unlink, init, ecosystem
pm2 destructive: delete, del, kill, uninstall, unset, cleardump
pm2 exec: trigger
uv read: tree, version, pip list, pip show, pip freeze, pip check, pip tree, tool list, python list, python find, python dir, cache dir, tool dir
uv write: add, remove, sync, lock, init, venv, build, publish, export, self update, pip install, pip compile, pip sync, tool install, tool upgrade, python install, python pin
uv destructive: pip uninstall, tool uninstall, python uninstall, cache clean, cache prune
uv exec: run, tool run, x
`
