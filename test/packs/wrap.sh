#!/bin/sh
# shellcheck disable=SC2154,SC2015 # set by real.sh; `a && pass || fail`: pass never fails
# The way of a foreign CLI into a pack, on those of this machine: hcp wrap, check, activate, and two reads of each through the shim.
pack=git
. "$(dirname "$0")/real.sh"
work=$tmp/work
cat >"$HCP_HOME/hcp.toml" <<TOML
version = 1
[sandbox]
min = "process"
driver = "${HCP_DRIVER:-auto}"
[[grants]]
principal = "*"
capability = "verb.exec.read"
packs = ["*"]
[[grants]]
principal = "*"
capability = "verb.exec.write"
packs = ["*"]
TOML
mkdir "$work" "$tmp/drafts" "$tmp/home" && cd "$work" || exit 1
export HOME="$tmp/home" NO_UPDATE_NOTIFIER=1
git init -q . && git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m 'the first' || exit 1
printf '{"name":"kept","version":"1.2.3"}\n' >package.json
printf '{"a":[1,2]}\n' >data.json
command -v sqlite3 >/dev/null && sqlite3 kept.db 'create table t(x); insert into t values(42)'
tried=0
# draft CLI OPTION…: wrapped, checked, activated, with a shim; false where it is not installed
draft() {
  pack=$1
  command -v "$pack" >/dev/null || return 1
  tried=$((tried + 1))
  "$hcp" wrap "$@" --out "$tmp/drafts/$pack" >"$tmp/log" 2>&1 || { fail "wrap $*: $(cat "$tmp/log")"; return 1; }
  code=0
  "$hcp" check "$tmp/drafts/$pack" >"$tmp/log" 2>&1 || code=$?
  case $code in 0 | 2) pass ;; *) fail "check: $code: $(cat "$tmp/log")" ;; esac
  "$hcp" install "$tmp/drafts/$pack" >"$tmp/log" 2>&1 && "$hcp" activate "$pack" >>"$tmp/log" 2>&1 && ln -sf "$hcp" "$tmp/shims/$pack" && pass || fail "activate: $(cat "$tmp/log")"
}
# shows TEXT WORD…: what is typed prints that, without a confirm
shows() {
  want=$1
  shift
  shim "$@"
  is "$*: $out" 0 "$code"
  has "$*" "$want" "$out"
}
# gated WORD…: what is typed waits for a confirm
gated() {
  shim "$@"
  has "$*" 'confirm' "$out"
}
if draft git --only status,log,show,ls-files,commit; then
  shows 'the first' log
  shows 'package.json' status
  gated commit -a
fi
if draft openssl --only version,list,genrsa; then
  shows 'OpenSSL' version
  shows 'asn1parse' list -standard-commands
  gated genrsa
fi
if draft npm --only prefix,pkg.get; then
  shows 'kept' pkg get name
  shows "$work" prefix
fi
if draft curl; then gated https://127.0.0.1:1/; fi
if draft psql --only psql; then
  # without a server it is psql's own word that comes back
  shim --list
  has '--list' 'psql:' "$out"
  shim -c 'select 1'
  has '-c is not to be had' 'no' "$out"
fi
if draft gh --only config,alias.list; then
  shows 'git_protocol' config list
  shows 'https' config get git_protocol
fi
if draft docker --only context.ls,context.show,rm; then
  shows 'default' context ls
  shows 'default' context show
  gated rm x
fi
if draft kubectl --only config.view,config.get-contexts,delete; then
  shows 'apiVersion' config view
  shows 'CURRENT' config get-contexts
  gated delete pods x
fi
if draft go --only version,env; then
  shows 'go1' version
  shows 'GOOS' env GOOS
fi
if draft jq; then
  shows '2' '.a[1]' data.json
  shows 'kept' .name package.json
fi
if draft sqlite3 --only sqlite3; then
  shows '42' kept.db 'select x from t'
  shim kept.db 'delete from t'
  has 'sqlite3 writes nothing' 'readonly' "$out"
  shim kept.db '.shell id'
  has 'sqlite3 runs nothing' 'safe mode' "$out"
fi
pack=wrap
[ "$tried" -ge 4 ] || { echo "wrap: skipped, only $tried of its CLIs are installed"; exit 77; }
finish
