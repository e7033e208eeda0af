#!/bin/sh
# shellcheck disable=SC1003,SC1083,SC2015,SC2016,SC2088 # `a && pass || fail`: pass never fails; hostile words are meant as they stand
# The npm pack with the real npm on a small project, and a registry that the test plays. Exits 77 without npm, node or python3.
pack=npm
. "$(dirname "$0")/real.sh"

command -v node >/dev/null && command -v python3 >/dev/null || { echo 'npm: skipped, no node or no python3'; exit 77; }

# a small registry on loopback with two packages, one of them with an install script
cat >"$tmp/registry.py" <<'PY'
import base64, hashlib, http.server, io, json, os, sys, tarfile, urllib.parse
log, portfile = sys.argv[1:]
def pack(name, version, extra):
    b = io.BytesIO()
    with tarfile.open(fileobj=b, mode="w:gz") as t:
        for n, text in (("package.json", json.dumps(dict({"name": name, "version": version, "main": "index.js"}, **extra))), ("index.js", "module.exports = 1\n")):
            i = tarfile.TarInfo("package/" + n); i.size = len(text); t.addfile(i, io.BytesIO(text.encode()))
    return b.getvalue()
SPEC = {"left-pad": {"1.0.0": {}, "1.1.0": {}}, "evil-install": {"1.0.0": {"scripts": {"preinstall": "touch EVIL-pre", "install": "touch EVIL", "postinstall": "touch EVIL-post"}}}}
TARS = {(n, v): pack(n, v, e) for n, vs in SPEC.items() for v, e in vs.items()}
class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *a): pass
    def do(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with open(log, "a") as f: f.write(self.command + " " + self.path + " " + (self.headers.get("Authorization") or "-") + "\n")
        p = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path).strip("/")
        base = "http://127.0.0.1:%d/" % self.server.server_address[1]
        code, body = 200, b"{}"
        if p in SPEC:
            vs = {v: dict({"name": p, "version": v, "dist": {"tarball": base + p + "/-/" + p + "-" + v + ".tgz", "integrity": "sha512-" + base64.b64encode(hashlib.sha512(TARS[p, v]).digest()).decode(), "shasum": hashlib.sha1(TARS[p, v]).hexdigest()}}, hasInstallScript="scripts" in e, **e) for v, e in SPEC[p].items()}
            body = json.dumps({"name": p, "dist-tags": {"latest": list(vs)[-1]}, "versions": vs, "time": {v: "2026-01-01T00:00:00.000Z" for v in vs}}).encode()
        elif p.endswith(".tgz"):
            n, v = p.rsplit("/-/", 1)[0], p[:-4].rsplit("-", 1)[1]; body = TARS[n, v]
        elif p == "-/v1/search": body = json.dumps({"objects": [{"package": {"name": "left-pad", "version": "1.1.0", "description": "pads", "date": "2026-01-01T00:00:00.000Z", "maintainers": [], "keywords": [], "links": {}}}], "total": 1}).encode()
        elif p == "-/npm/v1/security/advisories/bulk": body = json.dumps({"left-pad": [{"id": 1, "url": "https://x", "title": "weak", "severity": "high", "vulnerable_versions": "<1.1.0", "cwe": [], "cvss": {"score": 7, "vectorString": None}}]}).encode()
        elif p in ("-/ping", "npm"): body = b"{}"
        else: code, body = 404, b'{"error":"Not found"}'
        self.send_response(code); self.send_header("Content-Type", "application/json"); self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
    do_GET = do_POST = do_PUT = do_DELETE = do
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
with open(portfile + ".new", "w") as f: f.write(str(s.server_address[1]))
os.rename(portfile + ".new", portfile)
s.serve_forever()
PY
: >"$tmp/asked"
python3 "$tmp/registry.py" "$tmp/asked" "$tmp/port" 2>"$tmp/registry.err" &
servers=$!
i=0
until [ -s "$tmp/port" ] || [ $((i += 1)) -gt 100 ]; do sleep 0.1; done
port=$(cat "$tmp/port")
config "$root/packs/npm" <<TOML
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
packs = ["npm"]
[packs.npm]
project_git_writable = $([ "${HCP_DRIVER-}" = landlock ] && echo true || echo false)
TOML
mkdir "$tmp/work" && cd "$tmp/work" || exit 1
mkdir .git # the project's top
# the project's own .npmrc names the registry, and tries to name a program
printf 'registry=http://127.0.0.1:%s/\ngit=%s\n' "$port" "$tmp/evil" >.npmrc
printf '#!/bin/sh\n: >"%s/work/EVIL-git"\n' "$tmp" >"$tmp/evil" && chmod 755 "$tmp/evil"
cat >package.json <<'JSON'
{ "name": "demo", "version": "1.0.0", "scripts": { "test": "echo tested", "build": "node -e \"require('fs').writeFileSync('built', 'x')\"", "preinstall": "touch EVIL-own", "prepare": "touch EVIL-own" } }
JSON
picture() { find . -print | sort && find . -type f -print | sort | xargs cksum; }

# install runs no script, neither of the package nor of the project
typed install left-pad@1.0.0 evil-install --save-exact
is 'install: it is there' '"version":"1.0.0"' "$(tr -d ' ' <node_modules/left-pad/package.json | grep -o '"version":"1.0.0"')"
ok ci '{}'
is 'install: no script ran' '' "$(find "$tmp" -name 'EVIL*')"

# reads answer, and change nothing
before=$(picture)
ok ls '{"depth":1}' && has ls '"left-pad":{' "$out"
ok ls '{"all":true,"packages":["left-pad"]}'
call outdated '{}'
has 'outdated: exit 1 is its answer' '"exit":1' "$out" && has outdated 'latest' "$out"
ok audit '{}' && has audit '"vulnerabilities":{"left-pad"' "$out"
ok view '{"package":"left-pad"}' && has view '"name":"left-pad"' "$out"
ok view '{"package":"left-pad@1.0.0","fields":["version","name"]}'
ok search '{"words":["left","pad"],"limit":5}' && has search 'left-pad' "$out"
ok explain '{"package":"left-pad"}' && has explain '"dependents"' "$out"
ok pkg.get '{"keys":["name","scripts.test"]}' && has pkg.get '"scripts.test":"echo tested"' "$out"
ok pkg.get '{}'
call doctor '{}'
has doctor 'Connecting to the registry' "$out"
typed ls --depth 1 && typed audit --omit dev && typed view left-pad version dist-tags && typed pkg get scripts && typed explain left-pad
is 'reads change nothing' "$before" "$(picture)"

# the project's own code asks first
refused run '{"script":"build"}' 'confirm required'
shim run build
has 'run: its card' 'script build' "$out"
[ ! -e built ] && pass || fail 'run: it ran without a confirm'
typed run build --confirm
[ -e built ] && pass || fail 'run: it did not run'
ok run '{"script":"test","confirm":true}' && has run tested "$out"
typed uninstall evil-install
case $(cat package.json) in *evil-install*) fail 'uninstall: still there' ;; *) pass ;; esac

# hostile words: flags, addresses, folders, git
: >"$tmp/asked"
before=$(picture)
for word in --registry=http://evil -g --global --script-shell=/tmp/x --ignore-scripts=false --output=EVIL -c --prefix=/tmp '$(touch EVIL)' ';touch EVIL' '../x' './x' '/tmp/x' '~/x' '.' 'a b' '' 'a\nb' '-' '--' 'git+ssh://evil/x' 'git+file:///x' 'github:me/app' 'me/app' 'https://evil/x.tgz' 'file:../x' 'ext::sh' 'left-pad@npm:evil' 'left-pad@file:../x' 'left-pad@git+file:///x' 'left-pad@https://evil/x' 'left-pad@../x' '@a/b/c' '@../x'; do
  q=\"$(printf %s "$word" | sed 's/"/\\"/g')\"
  for args in "install {\"packages\":[$q]}" "uninstall {\"packages\":[$q]}" "view {\"package\":$q}" "explain {\"package\":$q}"; do
    refused "${args%% *}" "${args#* }" 'invalid args: '
  done
  [ "$word" = ext::sh ] || refused run "{\"script\":$q,\"confirm\":true}" 'invalid args: ' # a script may have such a name
  [ -n "$word" ] || continue
  for args in "ls {\"packages\":[$q]}" "outdated {\"packages\":[$q]}" "ls {\"depth\":$q}" "audit {\"omit\":$q}" "install {\"packages\":[\"left-pad\"],\"group\":$q}"; do
    refused "${args%% *}" "${args#* }" 'invalid args: '
  done
done
for word in --registry=x '../x' '__proto__;x' 'a b' ';x'; do
  refused pkg.get "{\"keys\":[\"$word\"]}" 'invalid args: ' && refused view "{\"package\":\"left-pad\",\"fields\":[\"$word\"]}" 'invalid args: ' && refused search "{\"words\":[\"$word\"]}" 'invalid args: '
done
refused install '{}' 'invalid args: missing packages'
refused exec '{}' 'no policy for exec' && refused publish '{}' 'no policy for publish' && refused config.set '{}' 'no policy for config.set'
for word in --registry=http://evil --script-shell=/tmp/x -g --prefix=/tmp --userconfig=/tmp/x; do
  shim ls "$word"
  [ "$code" != 0 ] && pass || fail "typed: $word went through"
done
is 'the registry heard nothing of it' '' "$(cat "$tmp/asked")"
is 'hostile words change nothing' "$before" "$(picture)"
# a dependency from git in package.json (which is the project's to write) does not run the program that .npmrc names
printf '{ "name": "demo", "version": "1.0.0", "dependencies": { "g": "git+file://%s/none" } }' "$tmp" >package.json && rm -rf package-lock.json node_modules
call install '{"packages":["left-pad"]}'
has 'a dependency from git' '"ok":false' "$out"
is 'no program of the .npmrc ran, no word became a file' '' "$(find "$tmp" -name 'EVIL*')"
is 'the pack is clean' clean "$("$hcp" check "$root/packs/$pack")"
finish
