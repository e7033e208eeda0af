#!/bin/sh
# shellcheck disable=SC1003,SC1083,SC2015,SC2016,SC2088 # `a && pass || fail`: pass never fails; hostile words are meant as they stand
# The docker pack with the real client and a small daemon that the test plays. Exits 77 without docker or python3.
pack=docker
. "$(dirname "$0")/real.sh"

[ "${HCP_DRIVER-}" != landlock ] || { echo 'docker: skipped, the landlock driver lets nobody reach a unix socket'; exit 77; }
command -v python3 >/dev/null || { echo 'docker: skipped, no python3'; exit 77; }

# a small daemon on a socket of the test's own; it writes down what it is asked. The pack as it is asks the usual socket:
# the copy under test differs in that one variable
cat >"$tmp/daemon.py" <<'PY'
import http.server, json, os, re, socketserver, sys, urllib.parse
path, log = sys.argv[1:]
one = {"Id": "c0ffee" * 10 + "abcd", "Names": ["/web"], "Image": "alpine:3.20", "ImageID": "sha256:" + "ab" * 32, "Command": "sleep", "Created": 1700000000, "State": "running", "Status": "Up", "Ports": [], "Labels": {}, "Mounts": [], "NetworkSettings": {"Networks": {}}, "HostConfig": {}}
def frame(stream, text): return bytes([stream, 0, 0, 0]) + len(text).to_bytes(4, "big") + text
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def address_string(self): return "-"
    def log_message(self, *a): pass
    def answer(self, code, body=b"", kind="application/json"):
        if not isinstance(body, bytes): body = json.dumps(body).encode()
        self.send_response(code); self.send_header("Api-Version", "1.45"); self.send_header("Ostype", "linux"); self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body))); self.end_headers()
        if self.command != "HEAD": self.wfile.write(body)
    def do(self):
        n = int(self.headers.get("Content-Length") or 0); self.rfile.read(n)
        with open(log, "a") as f: f.write(self.command + " " + self.path + "\n")
        p = re.sub(r"^/v[0-9.]+", "", urllib.parse.urlsplit(self.path).path)
        if p == "/_ping": return self.answer(200, b"OK", "text/plain")
        if p == "/version": return self.answer(200, {"Version": "27.0.0", "ApiVersion": "1.45", "MinAPIVersion": "1.24", "Os": "linux", "Arch": "amd64"})
        if p == "/info": return self.answer(200, {"ID": "x", "Containers": 1, "Driver": "overlay2", "Name": "played"})
        if p == "/containers/json": return self.answer(200, [one])
        if p == "/images/json": return self.answer(200, [{"Id": "sha256:" + "ab" * 32, "RepoTags": ["alpine:3.20"], "RepoDigests": [], "Created": 1700000000, "Size": 5, "SharedSize": -1, "Containers": -1, "ParentId": "", "Labels": None}])
        if p == "/images/create": return self.answer(200, b'{"status":"Status: Downloaded"}\n')
        if p == "/containers/web/json" or p.startswith("/containers/c0ffee") and p.endswith("/json"): return self.answer(200, {"Id": one["Id"], "Name": "/web", "Config": {"Tty": False}, "State": {"Status": "running", "Running": True}, "HostConfig": {}})
        if re.match("/containers/(web|c0ffee[0-9a-z]*)/logs", p): return self.answer(200, frame(1, b"said\n") + frame(2, b"moaned\n"), "application/vnd.docker.multiplexed-stream")
        if re.match("/containers/(web|c0ffee[0-9a-z]*)/stats", p): return self.answer(200, {"id": one["Id"], "name": "/web", "cpu_stats": {"cpu_usage": {"total_usage": 2}, "system_cpu_usage": 10, "online_cpus": 1}, "precpu_stats": {"cpu_usage": {"total_usage": 1}, "system_cpu_usage": 5}, "memory_stats": {"usage": 1, "limit": 2}, "pids_stats": {"current": 1}})
        if re.match("/containers/(web|db)/(start|stop|restart)$", p): return self.answer(204)
        if self.command == "DELETE" and p == "/containers/web": return self.answer(204)
        self.answer(404, {"message": "No such object: " + p})
    do_GET = do_POST = do_DELETE = do_HEAD = do
class S(socketserver.ThreadingMixIn, socketserver.UnixStreamServer): daemon_threads = True
S(path, H).serve_forever()
PY
: >"$tmp/asked"
python3 "$tmp/daemon.py" "$tmp/docker.sock" "$tmp/asked" 2>"$tmp/daemon.err" &
servers=$!
i=0
until [ -S "$tmp/docker.sock" ] || [ $((i += 1)) -gt 100 ]; do sleep 0.1; done
cp -R "$root/packs/docker" "$tmp/docker"
sed "s|\"agent_env\": {|\"agent_env\": { \"DOCKER_HOST\": \"unix://$tmp/docker.sock\",|" "$root/packs/docker/surface.json" >"$tmp/docker/surface.json"
config "$tmp/docker" <<TOML
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
packs = ["docker"]
[packs.docker]
sockets = ["$tmp/docker.sock"]
TOML
cd "$tmp" || exit 1
asked() { grep -cE "$1" "$tmp/asked" || :; }

# reads
ok version '{}' && has version '"ApiVersion":"1.45"' "$out"
ok info '{}' && has info '"result":{' "$out"
ok ps '{"all":true,"filters":["status=running","name=web"]}' && has ps '\"Names\":\"web\"' "$out"
ok ps '{}' && has 'ps: one object is one value' '"result":{' "$out"
ok images '{}' && has images 'alpine' "$out"
ok logs '{"container":"web","tail":5,"since":"10m","timestamps":true}' && has 'logs: stdout' '"stdout":"said\n"' "$out" && has 'logs: stderr' '"stderr":"moaned\n"' "$out"
is 'logs: the tail given wins' 1 "$(asked 'logs.*tail=5')"
ok logs '{"container":"web"}' && is 'logs: 200 lines else' 1 "$(asked 'logs.*tail=200')"
ok inspect '{"names":["web"],"type":"container"}' && has inspect '"result":[{' "$out"
ok stats '{"containers":["web"]}' && has stats '"result":{' "$out"
call inspect '{"names":["nothere"],"type":"container"}'
has 'inspect: not there' '"ok":false' "$out"
typed ps --all --filter status=exited && typed logs web --tail 10 && typed inspect web --type container && typed version && typed images && typed info
is 'reads only read' 0 "$(asked '^(POST|DELETE|PUT)')"

# writes, and those that ask first
ok start '{"containers":["web","db"]}' && is start 2 "$(asked '^POST .*/(web|db)/start')"
ok pull '{"image":"alpine:3.20"}' && is pull 1 "$(asked '^POST .*/images/create.*alpine')"
for verb in stop restart rm; do
  refused "$verb" '{"containers":["web"]}' 'confirm required'
  shim "$verb" web
  is "$verb asks" 1 "$code" && has "$verb: its card" 'web' "$out"
done
is 'nothing was stopped or removed' 0 "$(asked '/(stop|restart)|^DELETE')"
typed stop web db --confirm && typed restart web --confirm && typed rm web --confirm
is 'stop, restart, rm' 4 "$(asked '/(stop|restart)|^DELETE')"
has 'rm does not force' 'DELETE' "$(grep DELETE "$tmp/asked" | grep -v 'force=1\|v=1')"

# hostile words: refused before docker runs
: >"$tmp/asked"
for word in --host=tcp://evil:1 -H --config=/tmp/x --output=EVIL -c --format=x '$(touch EVIL)' ';touch EVIL' '../x' 'a b' '' 'a\nb' '-' '--' 'unix:///x' '{{json .}}' '@x'; do
  q=\"$(printf %s "$word" | sed 's/"/\\"/g')\"
  for verb in start stop restart rm; do refused "$verb" "{\"containers\":[$q],\"confirm\":true}" 'invalid args: '; done
  refused inspect "{\"names\":[$q]}" 'invalid args: '
  refused logs "{\"container\":$q}" 'invalid args: '
  refused pull "{\"image\":$q}" 'invalid args: '
  [ -n "$word" ] || continue
  refused stats "{\"containers\":[$q]}" 'invalid args: '
  for args in "ps {\"filters\":[$q]}" "images {\"filters\":[$q]}" "logs {\"container\":\"web\",\"tail\":$q}" "logs {\"container\":\"web\",\"since\":$q}" "ps {\"all\":$q}" "inspect {\"names\":[\"web\"],\"type\":$q}"; do
    refused "${args%% *}" "${args#* }" 'invalid args: '
  done
done
refused ps '{"host":"tcp://evil:1"}' 'invalid args: unknown argument'
refused run '{}' 'no policy for run' && refused exec '{}' 'no policy for exec'
for word in --host=tcp://evil:1 --config=/tmp/x --context=x -H --format=x; do
  shim ps "$word"
  [ "$code" != 0 ] && pass || fail "typed: $word went through"
done
shim --host=tcp://evil:1 ps
[ "$code" != 0 ] && pass || fail 'typed: --host went through'
is 'the daemon heard nothing of it' '' "$(cat "$tmp/asked")"
is 'no word became a file' '' "$(find "$tmp" -name 'EVIL*')"
is 'the pack is clean' clean "$("$hcp" check "$root/packs/$pack")"
finish
