#!/bin/sh
# shellcheck disable=SC1003,SC1083,SC2015,SC2016,SC2088 # `a && pass || fail`: pass never fails; hostile words are meant as they stand
# The kubectl pack with the real client and a small API server that the test plays. Exits 77 without kubectl or python3.
pack=kubectl
. "$(dirname "$0")/real.sh"

command -v python3 >/dev/null || { echo 'kubectl: skipped, no python3'; exit 77; }

# a small API server on loopback that writes down what it is asked
cat >"$tmp/api.py" <<'PY'
import http.server, json, sys, urllib.parse
log, portfile = sys.argv[1:]
def meta(name, ns="web"): return {"name": name, "namespace": ns, "uid": "u-" + name, "resourceVersion": "1", "creationTimestamp": "2026-01-01T00:00:00Z"}
def pod(): return {"kind": "Pod", "apiVersion": "v1", "metadata": meta("web-0"), "spec": {"containers": [{"name": "app", "image": "x"}]}, "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}], "containerStatuses": []}}
def deployment(): return {"kind": "Deployment", "apiVersion": "apps/v1", "metadata": dict(meta("web"), generation=1), "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "strategy": {"type": "RollingUpdate"}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "x"}]}}}, "status": {"observedGeneration": 1, "replicas": 2, "conditions": [{"type": "Available", "status": "True"}]}}
def event(): return {"kind": "Event", "apiVersion": "v1", "metadata": meta("e1"), "involvedObject": {"kind": "Pod", "name": "web-0", "namespace": "web"}, "reason": "Started", "message": "m", "type": "Normal", "count": 1, "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:00:00Z"}
def res(*names): return [{"name": n, "singularName": n.rstrip("s").split("/")[0], "namespaced": True, "kind": k, "verbs": ["get", "list", "watch", "delete", "patch", "update", "create"]} for n, k in names]
def listed(kind, v, items): return {"kind": kind + "List", "apiVersion": v, "metadata": {"resourceVersion": "1"}, "items": items}
ROUTES = {
    "/version": {"major": "1", "minor": "32", "gitVersion": "v1.32.0", "gitCommit": "", "gitTreeState": "", "buildDate": "", "goVersion": "", "compiler": "", "platform": "linux/amd64"},
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": [{"name": g, "versions": [{"groupVersion": g + "/" + v, "version": v}], "preferredVersion": {"groupVersion": g + "/" + v, "version": v}} for g, v in (("apps", "v1"), ("batch", "v1"), ("metrics.k8s.io", "v1beta1"))]},
    "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": res(("pods", "Pod"), ("pods/log", "Pod"), ("events", "Event"), ("namespaces", "Namespace"), ("secrets", "Secret"))},
    "/apis/apps/v1": {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "apps/v1", "resources": res(("deployments", "Deployment"), ("deployments/scale", "Scale"), ("replicasets", "ReplicaSet"))},
    "/apis/batch/v1": {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "batch/v1", "resources": res(("jobs", "Job"))},
    "/apis/metrics.k8s.io/v1beta1": {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "metrics.k8s.io/v1beta1", "resources": res(("pods", "PodMetrics"))},
    "/apis/metrics.k8s.io/v1beta1/namespaces/web/pods": {"kind": "PodMetricsList", "apiVersion": "metrics.k8s.io/v1beta1", "metadata": {}, "items": [{"metadata": meta("web-0"), "timestamp": "2026-01-01T00:00:00Z", "window": "10s", "containers": [{"name": "app", "usage": {"cpu": "5m", "memory": "7Mi"}}]}]},
    "/api/v1/namespaces/web/pods": listed("Pod", "v1", [pod()]), "/api/v1/namespaces/web/pods/web-0": pod(),
    "/api/v1/namespaces/web/events": listed("Event", "v1", [event()]), "/apis/apps/v1/namespaces/web/deployments/web": deployment(),
    "/apis/apps/v1/namespaces/web/deployments": listed("Deployment", "apps/v1", [deployment()]),
    "/apis/apps/v1/namespaces/web/replicasets": listed("ReplicaSet", "apps/v1", []),
    "/apis/apps/v1/namespaces/web/deployments/web/scale": {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": meta("web"), "spec": {"replicas": 2}, "status": {"replicas": 2}},
    "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews": {"kind": "SelfSubjectRulesReview", "apiVersion": "authorization.k8s.io/v1", "status": {"resourceRules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}], "nonResourceRules": [], "incomplete": False}},
}
GONE = []
class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *a): pass
    def do(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with open(log, "a") as f: f.write(self.command + " " + self.path + " " + (self.headers.get("Authorization") or "-") + "\n")
        p = urllib.parse.urlsplit(self.path)
        if p.path.endswith("/log"): body, kind = b"line one\n", "text/plain"
        elif self.command == "DELETE": GONE.append(1); body, kind = json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Success", "details": {"name": "web-0", "uid": "u-web-0"}}).encode(), "application/json"
        elif GONE and p.path == "/api/v1/namespaces/web/pods": body, kind = json.dumps(listed("Pod", "v1", [])).encode(), "application/json"
        elif p.path in ROUTES and not (GONE and p.path.endswith("/pods/web-0")): body, kind = json.dumps(ROUTES[p.path]).encode(), "application/json"
        else:
            body = json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "message": "nothing at " + p.path, "code": 404}).encode()
            self.send_response(404); self.send_header("Content-Type", "application/json"); self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body); return
        self.send_response(201 if self.command == "POST" else 200); self.send_header("Content-Type", kind); self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
with open(portfile + ".new", "w") as f: f.write(str(s.server_address[1]))
import os
os.rename(portfile + ".new", portfile)
s.serve_forever()
PY
: >"$tmp/asked"
python3 "$tmp/api.py" "$tmp/asked" "$tmp/port" 2>"$tmp/api.err" &
servers=$!
i=0
until [ -s "$tmp/port" ] || [ $((i += 1)) -gt 100 ]; do sleep 0.1; done
port=$(cat "$tmp/port")

# the kubeconfig, as one line of JSON, which is YAML too; kept as a Binding, which delivers it as a file
mkdir "$tmp/cred"
printf '{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"k","user":"u","namespace":"web"}}],"clusters":[{"name":"k","cluster":{"server":"http://127.0.0.1:%s"}}],"users":[{"name":"u","user":{"token":"sesame-open-sesame"}}]}' "$port" >"$tmp/kubeconfig"
python3 -c 'import json, sys; json.dump({"kubeconfig": open(sys.argv[1]).read()}, open(sys.argv[2], "w"))' "$tmp/kubeconfig" "$tmp/cred/kubectl.json"
chmod 600 "$tmp/cred/kubectl.json"
config "$root/packs/kubectl" <<TOML
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
packs = ["kubectl"]
[[bindings]]
pack = "kubectl"
family = "user"
provider = "file"
path = "$tmp/cred/kubectl.json"
TOML
cd "$tmp" || exit 1
asked() { grep -cE "$1" "$tmp/asked" || :; }

# reads
ok version '{}' && has version '"serverVersion"' "$out"
ok get '{"kind":"pods"}' && has get '"result":{' "$out" && has get 'web-0' "$out"
ok get '{"kind":"pods","name":"web-0","namespace":"web"}'
ok get '{"kind":"pods","namespace":"web","selector":"app=web,tier!=db"}' && is 'get: the selector' 1 "$(asked 'labelSelector=app%3Dweb')"
ok describe '{"kind":"pods","name":"web-0"}' && has describe 'Name:' "$out"
ok logs '{"pod":"web-0","tail":5,"since":"10m"}' && has logs 'line one' "$out" && is 'logs: bounded' 1 "$(asked 'limitBytes=4000000.*tailLines=5')"
ok events '{"namespace":"web","types":"Normal"}' && has events '"result":{' "$out"
ok top.pods '{"namespace":"web"}' && has top.pods '7Mi' "$out"
ok auth.can-i '{}' && has auth.can-i 'pods' "$out"
ok wait '{"kind":"pods","name":"web-0","condition":"condition=Ready","limit":"5s"}'
typed get pods --selector app=web && typed describe deployments web && typed logs web-0 --tail 5 && typed events --types Warning && typed version && typed auth can-i && typed top pods --namespace web
typed wait deployments web --for condition=Available --timeout 5s
is 'reads only read' 0 "$(grep -v selfsubjectrulesreviews "$tmp/asked" | grep -cE '^(POST|PUT|PATCH|DELETE)')"
case $out in *sesame*) fail 'the token came out' ;; *) pass ;; esac

# writes ask first
for args in 'scale {"kind":"deployments","name":"web","replicas":3}' 'rollout.restart {"kind":"deployments","name":"web"}' 'rollout.undo {"kind":"deployments","name":"web"}' 'delete {"kind":"pods","name":"web-0"}'; do
  refused "${args%% *}" "${args#* }" 'confirm required'
done
shim delete pods web-0
has 'delete: its card' 'Delete pods web-0' "$out"
is 'nothing was written' 0 "$(asked '^(PUT|PATCH|DELETE)')"
ok scale '{"kind":"deployments","name":"web","replicas":3,"confirm":true}' && is scale 1 "$(asked '^(PATCH|PUT) .*/deployments/web/scale')"
typed rollout restart deployments web --confirm && is restart 1 "$(asked '^PATCH .*/deployments/web[? ]')"
call rollout.undo '{"kind":"deployments","name":"web","confirm":true}'
has 'undo: it went as far as the cluster' 'no rollout history' "$out"
typed delete pods web-0 --confirm && is delete 1 "$(asked '^DELETE .*/pods/web-0')"

# hostile words: a flag in a name would send the token elsewhere
: >"$tmp/asked"
for word in --server=https://evil -s --kubeconfig=/tmp/x --token=x --output=EVIL -c --raw=/ --as=root '$(touch EVIL)' ';touch EVIL' '../x' 'a b' 'a/b/c' '' 'a\nb' '-' '--' 'web,secrets' 'secrets' '@x' 'https://evil/x'; do
  q=\"$(printf %s "$word" | sed 's/"/\\"/g')\"
  refused get "{\"kind\":$q}" 'invalid args: '
  refused describe "{\"kind\":$q,\"name\":\"x\"}" 'invalid args: '
  [ "$word" = secrets ] || for args in "describe {\"kind\":\"pods\",\"name\":$q}" "logs {\"pod\":$q}" "delete {\"kind\":\"pods\",\"name\":$q,\"confirm\":true}" "rollout.restart {\"kind\":\"deployments\",\"name\":$q,\"confirm\":true}" "wait {\"kind\":\"pods\",\"name\":\"x\",\"condition\":$q}"; do
    refused "${args%% *}" "${args#* }" 'invalid args: '
  done
  [ -n "$word" ] && [ "$word" != secrets ] || continue
  for args in "get {\"kind\":\"pods\",\"namespace\":$q}" "get {\"kind\":\"pods\",\"name\":$q}" "logs {\"pod\":\"x\",\"since\":$q}" "logs {\"pod\":\"x\",\"container\":$q}" "events {\"for\":$q}" "top.pods {\"name\":$q}" "auth.can-i {\"namespace\":$q}" "scale {\"kind\":\"deployments\",\"name\":\"web\",\"replicas\":$q,\"confirm\":true}" "get {\"kind\":\"pods\",\"all\":$q}"; do
    refused "${args%% *}" "${args#* }" 'invalid args: '
  done
done
for word in --server=x --kubeconfig=x '$(x)' '-l' '@f' '{x}'; do refused get "{\"kind\":\"pods\",\"selector\":\"$word\"}" 'invalid args: '; done
refused get '{"kind":"pods","server":"https://evil"}' 'invalid args: unknown argument'
refused exec '{}' 'no policy for exec' && refused apply '{}' 'no policy for apply'
for word in --server=https://evil --kubeconfig=/tmp/x --token=x --context=x --as=root -s --raw=/ --watch; do
  shim get pods "$word"
  [ "$code" != 0 ] && pass || fail "typed: $word went through"
done
shim --server=https://evil get pods
[ "$code" != 0 ] && pass || fail 'typed: --server went through'
is 'the cluster heard nothing of it' '' "$(cat "$tmp/asked")"
is 'no word became a file' '' "$(find "$tmp" -name 'EVIL*')"

# no credential, no call
rm "$tmp/cred/kubectl.json"
refused get '{"kind":"pods"}' 'denied: binding user for kubectl: '
is 'the pack is clean' clean "$("$hcp" check "$root/packs/$pack")"
finish
