#!/bin/sh
# shellcheck disable=SC1003,SC1083,SC2015,SC2016,SC2088 # `a && pass || fail`: pass never fails; hostile words are meant as they stand
# The gh pack with the real client and a small GitHub that the test plays. Exits 77 without gh or python3.
pack=gh
. "$(dirname "$0")/real.sh"

[ "${HCP_DRIVER-}" != landlock ] || { echo 'gh: skipped, the landlock driver lets nobody reach a unix socket'; exit 77; }
command -v python3 >/dev/null || { echo 'gh: skipped, no python3'; exit 77; }

# a small GitHub on a socket of the test's own; it writes down what it is asked. gh finds it by a setting in a folder that the copy
# under test names; nothing else differs from the pack
cat >"$tmp/hub.py" <<'PY'
import http.server, json, re, socketserver, sys
path, log = sys.argv[1:]
user = {"login": "anna", "id": "U1", "name": "Anna"}
pr = {"id": "PR_1", "number": 12, "title": "Fix the reader", "state": "OPEN", "isDraft": False, "body": "Why", "url": "https://github.com/me/app/pull/12", "author": user, "headRefName": "topic", "headRefOid": "a" * 40, "baseRefName": "main",
      "headRepository": {"id": "R1", "name": "app"}, "headRepositoryOwner": user, "isCrossRepository": False, "labels": {"nodes": [], "totalCount": 0}, "mergeable": "MERGEABLE", "mergeStateStatus": "CLEAN", "reviewDecision": "", "reviews": {"nodes": [], "pageInfo": {"hasNextPage": False}, "totalCount": 0},
      "comments": {"nodes": [], "pageInfo": {"hasNextPage": False}, "totalCount": 0}, "files": {"nodes": [{"path": "a.c", "additions": 1, "deletions": 0}]}, "commits": {"nodes": [], "totalCount": 1}, "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z", "mergedAt": None, "maintainerCanModify": False,
      "statusCheckRollup": {"nodes": [{"commit": {"oid": "a" * 40, "statusCheckRollup": {"contexts": {"nodes": [{"__typename": "CheckRun", "name": "build", "status": "COMPLETED", "conclusion": "SUCCESS", "startedAt": "2026-01-01T00:00:00Z", "completedAt": "2026-01-01T00:01:00Z", "detailsUrl": "https://x/1", "checkSuite": {"workflowRun": {"workflow": {"name": "ci"}}}}], "pageInfo": {"hasNextPage": False}}}}}]}}
issue = {"__typename": "Issue", "id": "I_1", "number": 7, "title": "It fails", "state": "OPEN", "body": "Steps", "url": "https://github.com/me/app/issues/7", "author": user, "assignees": {"nodes": [], "totalCount": 0}, "labels": {"nodes": [], "totalCount": 0}, "comments": {"nodes": [], "pageInfo": {"hasNextPage": False}, "totalCount": 0},
         "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z", "closedAt": None}
repo = {"id": "R1", "name": "app", "nameWithOwner": "me/app", "owner": user, "hasIssuesEnabled": True, "description": "", "hasWikiEnabled": False, "viewerPermission": "ADMIN", "isPrivate": False, "defaultBranchRef": {"name": "main"}, "parent": None, "mergeCommitAllowed": True, "rebaseMergeAllowed": True, "squashMergeAllowed": True}
run = {"id": 99, "name": "ci", "display_title": "t", "event": "push", "head_branch": "main", "head_sha": "a" * 40, "status": "completed", "conclusion": "success", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "run_started_at": "2026-01-01T00:00:00Z", "html_url": "https://github.com/me/app/actions/runs/99", "workflow_id": 5, "run_attempt": 1, "check_suite_id": 3, "jobs_url": "https://api.github.com/repos/me/app/actions/runs/99/jobs", "path": ".github/workflows/ci.yml", "head_repository": {"name": "app", "owner": user}, "head_commit": {"message": "m"}, "pull_requests": []}
page = {"hasNextPage": False, "endCursor": ""}
def graphql(q, v):
    if "mutation PullRequestCreate" in q: return {"createPullRequest": {"pullRequest": {"id": "PR_2", "url": "https://github.com/me/app/pull/13"}}}
    if "mutation PullRequestMerge" in q: return {"mergePullRequest": {"clientMutationId": ""}}
    if "mutation IssueCreate" in q: return {"createIssue": {"issue": {"id": "I_2", "url": "https://github.com/me/app/issues/8"}}}
    if "mutation CommentCreate" in q or "addComment(" in q: return {"addComment": {"commentEdge": {"node": {"url": "https://github.com/me/app/issues/7#issuecomment-1"}}}}
    if "__type(" in q: return {k: {"fields": []} for k in re.findall(r"(\w+): *__type\(", q)}
    if "search(" in q: return {"search": {"issueCount": 1, "nodes": [pr if "pr" in str(v) else issue], "pageInfo": page}, "repository": dict(repo)}
    if "repository(" not in q and "node(" in q: return {"node": {"comments": issue["comments"]} if "Issue" in q else pr}
    r = dict(repo)
    if "issueOrPullRequest" in q or "issue:" in q: r["issue"] = issue
    if re.search(r"\bissue\(", q): r["issue"] = issue
    if "pullRequest(" in q: r["pullRequest"] = dict(pr, reviews=pr["reviews"])
    if "pullRequests(" in q: r["pullRequests"] = {"nodes": [] if "headRefName: $headRefName" in q and "IssueRepo" not in q and v.get("headRefName") == "fresh" else [pr], "totalCount": 1, "pageInfo": page}
    if "issues(" in q: r["issues"] = {"nodes": [issue], "totalCount": 1, "pageInfo": page}
    for k in ("labels", "assignableUsers", "milestones"): 
        if k + "(" in q: r[k] = {"nodes": [{"id": "L1", "name": "bug"}] if k == "labels" else [user], "pageInfo": page}
    return {"repository": r, "repo_000": r, "viewer": user, "repository_0": r, "node": dict(pr)}
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def address_string(self): return "-"
    def log_message(self, *a): pass
    def do(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        p = self.path.split("?")[0]
        p = re.sub("^/api/v3", "", p)
        with open(log, "a") as f: f.write(" ".join([self.command, self.headers.get("Host", ""), self.path, self.headers.get("Authorization") or "-", body.replace("\n", " ")]) + "\n")
        code, kind = 200, "application/json"
        if p.endswith("/graphql"):
            m = json.loads(body)
            out = json.dumps({"data": graphql(m["query"], m.get("variables") or {})})
        elif re.search(r"/pulls/12$", p): out, kind = ("diff --git a/a.c b/a.c\n+x\n", "text/plain") if "diff" in (self.headers.get("Accept") or "") else (json.dumps(pr), kind)
        elif p.endswith("/actions/runs"): out = json.dumps({"total_count": 1, "workflow_runs": [run]})
        elif p.endswith("/actions/workflows"): out = json.dumps({"total_count": 1, "workflows": [{"id": 5, "name": "ci", "state": "active", "path": ".github/workflows/ci.yml"}]})
        elif "/actions/workflows/" in p: out = json.dumps({"id": 5, "name": "ci", "state": "active", "path": ".github/workflows/ci.yml"})
        elif p.endswith("/actions/runs/99"): out = json.dumps(run)
        elif p.endswith("/jobs"): out = json.dumps({"total_count": 1, "jobs": [{"id": 1, "name": "build", "status": "completed", "conclusion": "success", "started_at": "2026-01-01T00:00:00Z", "completed_at": "2026-01-01T00:00:00Z", "html_url": "https://x", "run_id": 99, "steps": []}]})
        elif p == "/repos/me/app": out = json.dumps({"id": 1, "node_id": "R1", "name": "app", "default_branch": "main"})
        else: code, out = 404, json.dumps({"message": "Not Found"})
        data = out.encode()
        self.send_response(code); self.send_header("Content-Type", kind); self.send_header("X-Oauth-Scopes", "repo"); self.send_header("Content-Length", str(len(data))); self.end_headers(); self.wfile.write(data)
    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do
class S(socketserver.ThreadingMixIn, socketserver.UnixStreamServer): daemon_threads = True
S(path, H).serve_forever()
PY
: >"$tmp/asked"
python3 "$tmp/hub.py" "$tmp/hub.sock" "$tmp/asked" 2>"$tmp/hub.err" &
servers=$!
i=0
until [ -S "$tmp/hub.sock" ] || [ $((i += 1)) -gt 100 ]; do sleep 0.1; done
mkdir "$tmp/ghconfig" && printf 'http_unix_socket: %s\nversion: "1"\n' "$tmp/hub.sock" >"$tmp/ghconfig/config.yml" && : >"$tmp/ghconfig/hosts.yml"
cp -R "$root/packs/gh" "$tmp/gh"
sed "s|\"agent_env\": {|\"agent_env\": { \"GH_CONFIG_DIR\": \"$tmp/ghconfig\",|" "$root/packs/gh/surface.json" >"$tmp/gh/surface.json"
printf '{"token":"sesame-open-sesame"}' >"$tmp/token.json"
config "$tmp/gh" <<TOML
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
packs = ["gh"]
[[bindings]]
pack = "gh"
family = "user"
provider = "file"
path = "$tmp/token.json"
[packs.gh]
read = ["$tmp/ghconfig"]
sockets = ["$tmp/hub.sock"]
TOML
cd "$tmp" || exit 1
asked() { grep -cE "$1" "$tmp/asked" || :; }

# reads
ok run.list '{"repo":"me/app","branch":"main","limit":5}' && has run.list '"databaseId":99' "$out"
ok run.view '{"repo":"me/app","id":99}' && has run.view '"jobs":[' "$out"
ok pr.list '{"repo":"me/app"}' && has pr.list '"number":12' "$out"
ok pr.list '{"repo":"me/app","state":"all","author":"@me","labels":["bug","ui"],"search":"sort:updated-desc"}'
ok pr.view '{"repo":"me/app","number":12}' && has pr.view '"title":"Fix the reader"' "$out"
ok pr.diff '{"repo":"me/app","number":12}' && has pr.diff 'diff --git' "$out"
ok pr.checks '{"repo":"me/app","number":12}' && has pr.checks 'build\tpass' "$out"
ok issue.list '{"repo":"me/app"}' && has issue.list '"number":7' "$out"
ok issue.view '{"repo":"me/app","number":7}' && has issue.view '"title":"It fails"' "$out"
typed pr list --repo me/app --state open --limit 10 && typed pr view 12 --repo me/app && typed issue list --repo me/app --label bug --label ui && typed run list --repo me/app --branch main
is 'reads only read' 0 "$(asked 'mutation ')"
has 'the token is used' 'sesame-open-sesame' "$(cat "$tmp/asked")"
is 'one host is asked' '' "$(awk '$2 != "api.github.com"' "$tmp/asked")"

# what others see asks first
for args in 'pr.create {"repo":"me/app","head":"fresh","title":"T","body":"B"}' 'pr.merge {"repo":"me/app","number":12,"method":"--squash"}' 'issue.create {"repo":"me/app","title":"T","body":"B"}' 'issue.comment {"repo":"me/app","number":7,"body":"B"}'; do
  refused "${args%% *}" "${args#* }" 'confirm required'
done
shim issue create --repo me/app --title 'It fails' --body 'Steps'
has 'issue.create: its card' 'Title: It fails' "$out"
is 'nothing was written' 0 "$(asked 'mutation ')"
ok issue.create '{"repo":"me/app","title":"--web","body":"$(touch EVIL)","confirm":true}' && has issue.create 'issues/8' "$out" && is 'a title is a word' 1 "$(asked 'IssueCreate.*"title":"--web"')"
typed issue comment 7 --repo me/app --body 'Done in 1.2' --confirm
has issue.comment 'issuecomment-1' "$out"
ok pr.merge '{"repo":"me/app","number":12,"method":"--squash","confirm":true}' && is pr.merge 1 "$(asked 'PullRequestMerge.*SQUASH')"
ok pr.create '{"repo":"me/app","head":"fresh","base":"main","title":"T","body":"B","draft":true,"confirm":true}' && has pr.create 'pull/13' "$out" && is pr.create 1 "$(asked 'PullRequestCreate.*"draft":true')"

# hostile words: another host would get the token, a flag would open a browser or an editor
: >"$tmp/asked"
for word in --hostname=evil -R --web --editor --output=EVIL -c --jq=. --body-file=/x '$(touch EVIL)' ';touch EVIL' '../x' 'evil.example.com/me/app' 'https://evil/x/y' 'me' 'me/app/..' 'a b/c' '' 'a\nb/c' '-' '--' '@x'; do
  q=\"$(printf %s "$word" | sed 's/"/\\"/g')\"
  refused pr.list "{\"repo\":$q}" 'invalid args: ' && refused issue.create "{\"repo\":$q,\"title\":\"t\",\"body\":\"b\",\"confirm\":true}" 'invalid args: '
  for verb in pr.view pr.diff pr.checks issue.view; do refused "$verb" "{\"repo\":\"me/app\",\"number\":$q}" 'invalid args: '; done
  refused run.view "{\"repo\":\"me/app\",\"id\":$q}" 'invalid args: ' && refused pr.merge "{\"repo\":\"me/app\",\"number\":12,\"method\":$q,\"confirm\":true}" 'invalid args: '
  refused issue.comment "{\"repo\":\"me/app\",\"number\":$q,\"body\":\"b\",\"confirm\":true}" 'invalid args: '
  case $word in '' | me | @x) continue ;; esac
  for args in "pr.list {\"repo\":\"me/app\",\"state\":$q}" "pr.list {\"repo\":\"me/app\",\"limit\":$q}" "pr.list {\"repo\":\"me/app\",\"author\":$q}" "pr.create {\"repo\":\"me/app\",\"head\":\"x\",\"title\":\"t\",\"body\":\"b\",\"draft\":$q,\"confirm\":true}"; do
    refused "${args%% *}" "${args#* }" 'invalid args: '
  done
done
refused pr.list '{"repo":"me/app","web":true}' 'invalid args: unknown argument'
refused api '{}' 'no policy for api' && refused auth.token '{}' 'no policy for auth.token'
for word in --web --jq=. --hostname=evil -R --template=x; do
  shim pr list --repo me/app "$word"
  [ "$code" != 0 ] && pass || fail "typed: $word went through"
done
is 'GitHub heard nothing of it' '' "$(cat "$tmp/asked")"
is 'no word became a file' '' "$(find "$tmp" -name 'EVIL*')"
"$hcp" install --replace "$root/packs/gh" >/dev/null && "$hcp" activate gh >/dev/null && rm "$tmp/token.json"
GH_TOKEN=from-the-environment GITHUB_TOKEN=x call pr.list '{"repo":"me/app"}'
has 'no credential of the environment is used (X-2)' '"error":"denied: binding user for gh: ' "$out"
is 'the pack is clean' clean "$("$hcp" check "$root/packs/$pack")"
finish
