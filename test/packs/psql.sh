#!/bin/sh
# shellcheck disable=SC1003,SC1083,SC2015,SC2016,SC2088 # `a && pass || fail`: pass never fails; hostile words are meant as they stand
# The psql pack with the real psql and a PostgreSQL server of its own on a loopback port. Exits 77 without psql, a server or python3.
pack=psql
. "$(dirname "$0")/real.sh"

command -v python3 >/dev/null || { echo 'psql: skipped, no python3'; exit 77; }
bins=
for dir in "$(dirname "$(command -v initdb || echo /none/x)")" /usr/local/pgsql/bin /usr/lib/postgresql/*/bin; do [ ! -x "$dir/initdb" ] || bins=$dir; done
[ -n "$bins" ] || { echo 'psql: skipped, no PostgreSQL server (initdb) here'; exit 77; }

# the server: on a loopback port, run by a user that is not root
as() { "$@"; }
pg=$tmp/pg
mkdir "$pg" && mkdir "$pg/socket"
printf 'correct-horse-battery' >"$pg/password"
if [ "$(id -u)" = 0 ]; then
  user=nobody
  ! id postgres >/dev/null 2>&1 || user=postgres
  as() { setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups env HOME="$pg" "$@"; }
  chmod 711 "$tmp" && chown -R "$user" "$pg" || exit 1
fi
as "$bins/initdb" -D "$pg/data" -U tester -A scram-sha-256 --pwfile="$pg/password" -N -E UTF8 --locale=C >"$tmp/initdb.log" 2>&1 || { cat "$tmp/initdb.log"; echo 'psql: skipped, initdb fails'; exit 77; }
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
as "$bins/postgres" -D "$pg/data" -k "$pg/socket" -c listen_addresses=127.0.0.1 -p "$port" -c fsync=off >"$tmp/postgres.log" 2>&1 &
servers=$!
own() { PGPASSWORD=correct-horse-battery psql -X -q -A -t -h 127.0.0.1 -p "$port" -U tester -d postgres "$@"; }
i=0
until own -c 'SELECT 1' >/dev/null 2>&1 || [ $((i += 1)) -gt 200 ]; do sleep 0.1; done
own -c "CREATE TABLE orders (id int PRIMARY KEY, note text); INSERT INTO orders VALUES (1, 'a'), (2, 'b''c\"'); CREATE TABLE \"Odd t\" (x int)
; CREATE FUNCTION writes() RETURNS int LANGUAGE sql VOLATILE AS 'INSERT INTO orders VALUES (99, NULL) RETURNING id'; CREATE VIEW trap AS SELECT writes() AS id" || { echo 'psql: no server'; exit 1; }

printf '{"pgpass":"127.0.0.1:*:*:tester:correct-horse-battery"}' >"$tmp/db.json"
config "$root/packs/psql" <<TOML
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
packs = ["psql"]
[[bindings]]
pack = "psql"
family = "user"
provider = "file"
path = "$tmp/db.json"
[packs.psql.env]
PGHOST = "127.0.0.1"
PGPORT = "$port"
PGDATABASE = "postgres"
PGUSER = "tester"
TOML
cd "$tmp" || exit 1
# every command answers one JSON value
json() {
  ok "$1" "$2"
  case $out in *'"result":'[{[]*) pass ;; *) fail "$1: the result is no JSON: $out" ;; esac
}
json tables '{}' && has tables '"name":"orders"' "$out"
json describe '{"table":"orders"}' && has describe 'PRIMARY KEY' "$out"
json describe '{"table":"public.ORDERS"}'
json rows '{"table":"orders"}' && has rows 'b'"'"'c' "$out"
json rows '{"table":"orders","limit":1}'
case $out in *'"id":2'*) fail 'rows: the limit is not kept' ;; *) pass ;; esac
json sizes '{}' && json indexes '{}' && has indexes orders_pkey "$out"
json activity '{}' && json locks '{}'
json validate '{}' && has validate 'no primary key' "$out"
json capabilities '{}' && has 'capabilities: sessions cannot write' '"writes":false' "$(printf %s "$out" | tr -d ' ')"
ok doctor '{}' && has doctor PostgreSQL "$out"
call rows '{"table":"nothere"}'
has 'rows: no such table' '"ok":false' "$out" && has 'rows: no such table' 'does not exist' "$out"
typed tables && typed describe --set=table=orders && typed rows --set=table=orders --variable=limit=1 && typed capabilities
case $out in *correct-horse*) fail 'the password came out' ;; *) pass ;; esac

# a write hidden in a view is refused by the server
call rows '{"table":"trap"}'
has 'read-only' 'read-only transaction' "$out"
is 'read-only: nothing was written' 0 "$(own -c 'SELECT count(*) FROM orders WHERE id = 99')"

# cancel asks, and then cancels
own -c 'SELECT pg_sleep(60)' >"$tmp/sleeper" 2>&1 &
servers="$servers $!"
i=0 pid=
until [ -n "$pid" ] || [ $((i += 1)) -gt 100 ]; do
  pid=$(own -c "SELECT pid FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'")
  sleep 0.1
done
json activity '{}' && has 'activity: it is there' "\"pid\":$pid" "$out"
refused activity.cancel "{\"pid\":$pid}" 'confirm required'
shim activity cancel --set=pid="$pid"
has 'cancel asks' "Cancel what session $pid runs now" "$out"
has 'cancel: it still runs' "$pid" "$(own -c "SELECT pid FROM pg_stat_activity WHERE state = 'active'")"
typed activity cancel --set=pid="$pid" --confirm
sleep 0.3
has 'cancel: it is gone' 'due to user request' "$(cat "$tmp/sleeper")"
json activity.cancel '{"pid":2147483647,"confirm":true}' && has 'cancel: nobody there' false "$out"

# hostile words: no table name, no number is more than that
for word in '--output=EVIL' '-o' '-c' '$(touch EVIL)' '`touch EVIL`' '|touch EVIL' "x'; DROP TABLE orders; --" 'orders; DROP TABLE orders' '"Odd t"' 'a.b.c' '../x' ':x' 'a\nb' '\\! touch EVIL' 'postgresql://evil/x' 'pg_read_file(1)' '1e9'; do
  q=\"$(printf %s "$word" | sed 's/"/\\"/g')\"
  refused describe "{\"table\":$q}" 'invalid args: '
  refused rows "{\"table\":$q}" 'invalid args: '
  [ "$word" = 1e9 ] || refused rows "{\"table\":\"orders\",\"limit\":$q}" 'invalid args: '
  [ "$word" = 1e9 ] || refused activity.cancel "{\"pid\":$q,\"confirm\":true}" 'invalid args: '
done
refused rows '{"table":"orders","limit":100000}' 'invalid args: '
refused activity.cancel '{"pid":-1,"confirm":true}' 'invalid args: '
refused tables '{"host":"evil.example.com"}' 'invalid args: unknown argument'
refused query '{"sql":"SELECT 1"}' 'no policy for query'
for word in --host=evil --dbname=x -c --command=x --file=/tmp/x --output=EVIL '--set=table=x; DROP TABLE orders'; do
  shim tables "$word"
  [ "$code" != 0 ] && pass || fail "typed: $word went through"
done
is 'the table is there' 2 "$(own -c 'SELECT count(*) FROM orders')"
is 'no word became a file' '' "$(find "$tmp" -name 'EVIL*' 2>/dev/null)"
is 'the pack is clean' clean "$("$hcp" check "$root/packs/$pack")"
finish
