#!/bin/sh
# shellcheck disable=SC1003,SC1083,SC2015,SC2016,SC2088 # `a && pass || fail`: pass never fails; hostile words are meant as they stand
# The git pack with the real git on a real repository: reads change nothing, a day through the shim, hostile words. Exits 77 without git.
pack=git
. "$(dirname "$0")/real.sh"

config "$root/packs/git" <<TOML
version = 1
[sandbox]
min = "process"
driver = "${HCP_DRIVER:-process}"
[[grants]]
principal = "*"
capability = "verb.exec.read"
packs = ["*"]
[[grants]]
principal = "*"
capability = "verb.exec.write"
packs = ["git"]
[packs.git]
read = ["$tmp/evil-bin"]
project_git_writable = $([ "${HCP_DRIVER-}" = landlock ] && echo true || echo false)
TOML

# a repository whose own config would run programs: a pager, an external diff, a text filter, a signature check
mkdir "$tmp/evil-bin" "$tmp/work"
printf '#!/bin/sh\n: >"%s/work/EVIL"\ncat "$@"\n' "$tmp" >"$tmp/evil-bin/run"
chmod 755 "$tmp/evil-bin/run"
g() { HOME=$tmp GIT_CONFIG_NOSYSTEM=1 git "$@"; }
cd "$tmp/work" || exit 1
g init -q -b main .
g init -q --bare remote.git && echo remote.git/ >>.git/info/exclude # a remote that a walled-in git can write to lies in the project
g config user.name Anna && g config user.email anna@example.com
g remote add origin "$tmp/work/remote.git"
mkdir src
echo one >src/a.txt && echo '*.bin diff=evil' >.gitattributes && printf 'a\0b' >x.bin && echo '*.log' >.gitignore
g add -A && g commit -q -m 'First light' && g push -q -u origin main
echo two >>src/a.txt && printf 'a\0c' >x.bin && g commit -qam 'Second: "quotes" and $(touch EVIL)' && echo three >>src/a.txt
g config core.pager "$tmp/evil-bin/run" && g config diff.external "$tmp/evil-bin/run" && g config diff.evil.textconv "$tmp/evil-bin/run"
g config log.showSignature true && g config gpg.program "$tmp/evil-bin/run" && g config core.editor "$tmp/evil-bin/run"
picture() { find . -print | sort && find . -type f -print | sort | xargs cksum; }

# reads answer, and change nothing: neither the tree nor .git, not even a time stamp (C-6)
before=$(picture)
touch src/a.txt # the index is stale now: a status of git's own would write it anew
touch "$tmp/stamp" && sleep 0.05
ok status '{}' && has status 'src/a.txt' "$out"
ok status '{"paths":["src"]}'
ok log '{}' && has log 'First light' "$out" && has 'log: words stay words' '$(touch EVIL)' "$out"
ok log '{"limit":1,"paths":["src"],"refs":"--all","author":"anna","grep":"second","since":"2020-01-01"}'
case $out in *'First light'*) fail "log: the limit is not kept: $out" ;; *) pass ;; esac
ok diff '{}' && has diff '+three' "$out"
ok diff '{"staged":true,"form":"--stat","context":0,"paths":["src"]}'
ok diff-tree '{"from":"HEAD~1","to":"HEAD"}' && has diff-tree 'src/a.txt' "$out"
ok diff-tree '{"from":"HEAD~1","to":"HEAD","form":"--patch","paths":["src"]}' && has diff-tree '+two' "$out"
ok show '{"rev":"HEAD"}' && ok show '{"rev":"HEAD~1..HEAD","form":"--no-patch"}' && ok show '{"rev":"HEAD:src/a.txt"}' && has show 'one' "$out"
ok branch '{"which":"--all"}' && has branch 'origin/main' "$out"
typed status && typed log --max-count 1 -- src && typed diff --staged && typed show HEAD --stat && typed show HEAD~1..HEAD --no-patch && typed diff-tree HEAD~1 HEAD --patch -- src && typed branch --all
is 'reads change nothing' "$before" "$(picture)"
is 'reads touch nothing' '' "$(find . -newer "$tmp/stamp")"

# a day through the shim: branch, stage, commit, publish
typed switch --create topic
typed add src/a.txt
has add "add 'src/a.txt'" "$out"
typed diff --staged --stat
typed commit --message 'Third

with a body'
is 'commit: the message' 'Third' "$(g log -1 --format=%s)"
is 'commit: the author' 'Anna <anna@example.com>' "$(g log -1 '--format=%an <%ae>')"
typed log --max-count 1
has log 'Third' "$out"
shim commit --message 'Nothing'
is 'nothing to commit' 1 "$code"
typed fetch --prune origin
typed fetch
shim push origin topic
is 'push asks' 1 "$code"
has 'push asks' 'confirm required' "$out"
has 'push shows what it will do' 'Publish the branch topic' "$out"
is 'push: nothing went out' '' "$(g --git-dir="$tmp/work/remote.git" branch --list topic)"
typed push origin topic --confirm
is 'push: it went out' "$(g rev-parse topic)" "$(g --git-dir="$tmp/work/remote.git" rev-parse topic)"
typed switch main && typed merge topic
is 'merge: forward' "$(g rev-parse topic)" "$(g rev-parse main)"
g commit -q --allow-empty -m aside && g checkout -q -b other HEAD~1 && g commit -q --allow-empty -m other
shim merge main
[ "$code" != 0 ] && pass || fail 'merge: more than a fast-forward'
# what would be lost is not lost
echo precious >note.log && g checkout -q -b tracked && g add -f note.log && g commit -q -m note && g checkout -q other && echo mine >note.log
shim switch tracked
[ "$code" != 0 ] && pass || fail 'switch wrote over an ignored file'
is 'switch: the ignored file' mine "$(cat note.log)"
rm note.log

# hostile words (CWE-88): refused before git runs, or nothing but words to it
mkdir sub && g init -q sub && mkdir -p sub/.git/hooks && cp "$tmp/evil-bin/run" sub/.git/hooks/pre-receive && rm -f EVIL
echo 'sub/' >>.git/info/exclude
before=$(g for-each-ref && g config --list --local)
for word in --output=EVIL -O./EVIL --upload-pack=x --exec=x -c --no-index --ext-diff 'ext::sh -c touch% EVIL' '$(touch EVIL)' ';touch EVIL' ':/' ':(exclude)a' '../x' 'a..b:../../x:y' '' 'a\nb' '-' '--'; do
  q=\"$(printf %s "$word" | sed 's/"/\\"/g')\"
  for args in "show {\"rev\":$q}" "diff-tree {\"from\":$q,\"to\":\"HEAD\"}" "diff-tree {\"from\":\"HEAD\",\"to\":$q}" "switch {\"branch\":$q}" "switch {\"branch\":$q,\"create\":true}" "merge {\"rev\":$q}" "push {\"remote\":$q,\"branch\":\"main\",\"confirm\":true}" "push {\"remote\":\"origin\",\"branch\":$q,\"confirm\":true}"; do
    refused "${args%% *}" "${args#* }" 'invalid args: '
  done
  [ -n "$word" ] || continue # an empty value is no value
  refused fetch "{\"remote\":$q}" 'invalid args: '
  for args in "log {\"refs\":$q}" "diff {\"form\":$q}" "diff {\"context\":$q}" "log {\"limit\":$q}" "branch {\"which\":$q}" "show {\"rev\":\"HEAD\",\"form\":$q}" "commit {\"message\":\"m\",\"all\":$q}" "fetch {\"prune\":$q}" "log {\"since\":$q}"; do
    refused "${args%% *}" "${args#* }" 'invalid args: '
  done
  for args in "log {\"paths\":[$q]}" "status {\"paths\":[$q]}" "diff {\"paths\":[$q]}" "add {\"paths\":[$q]}" "log {\"grep\":$q}" "log {\"author\":$q}"; do
    call "${args%% *}" "${args#* }" # whatever it answers
  done
done
for word in '@{-1}' 'main:main' '+main' 'a b' 'refs/../x' 'https://example.com/x' "$tmp/work/remote.git" './sub' 'main~1' 'HEAD^{/x}'; do
  refused push "{\"remote\":\"origin\",\"branch\":\"$word\",\"confirm\":true}" 'invalid args: '
done
for word in 'https://example.com/x' 'git@example.com:x' "$tmp/work/remote.git" './sub' '.' '..' 'ext::sh' '-o' 'a/b'; do
  refused fetch "{\"remote\":\"$word\"}" 'invalid args: '
  refused push "{\"remote\":\"$word\",\"branch\":\"main\",\"confirm\":true}" 'invalid args: '
done
call fetch '{"remote":"sub"}'
has 'fetch: a folder is no remote' 'no such remote' "$out"
refused show '{"rev":"HEAD","exec-path":"/tmp"}' 'invalid args: unknown argument'
refused clone '{}' 'no policy for clone'
refused config '{}' 'no policy for config'
call add '{"paths":["../shims/git"]}'
has 'add: outside the project' '"ok":false' "$out"
shim -c core.pager=x log
[ "$code" != 0 ] && pass || fail 'typed: -c went through'
shim --exec-path=/tmp status
[ "$code" != 0 ] && pass || fail 'typed: --exec-path went through'
shim status --output=EVIL
[ "$code" != 0 ] && pass || fail 'typed: --output went through'
is 'hostile words change no branch and no setting' "$before" "$(g for-each-ref && g config --list --local)"
# a message is one word, whatever is in it
echo four >>src/a.txt
ok commit '{"all":true,"message":"--amend\n\n$(touch EVIL) `touch EVIL`"}'
is 'commit: the message' '--amend' "$(g log -1 --format=%s)"
is 'no program of the config ran, no word became a file' '' "$(find "$tmp" -name 'EVIL*' -o -name '*touch*' -o -name '--*')"
is 'the pack is clean' clean "$("$hcp" check "$root/packs/$pack")"
finish
