#!/bin/sh
# shellcheck disable=SC2015,SC2016,SC1003,SC2013 # `a && pass || fail`: pass never fails; awk programs and hostile words are meant as they stand
# The ledger pack's own CLI: what it says, what it refuses, and that no kill and no crowd can spoil its book.
pack=ledger
. "$(dirname "$0")/lib.sh"

# T-3, C-6: what every command says, from a fresh folder on
{
  show balance --json
  show doctor --json
  show transfer 2.80 --to demo-transit --confirm --json
  show transfer 2.8 --to=demo-transit --memo 'tram, again' --confirm --json
  show --json transfer --confirm --to demo-grocer -- 12
  show transfer 2.80 --to demo-transit
  show transfer 2.80 --to demo-transit --memo '' --confirm --json
  show transfer 99999 --to demo-transit --confirm
  show transfer 1 --to nobody --confirm
  show transfer 1 --to main --confirm
  show transfer 1 --to opening --confirm
  show transfer 1 --confirm
  show transfer --to demo-transit --confirm
  show transfer 1 2 --to demo-transit --confirm
  show transfer 1 --to demo-transit --to demo-grocer --confirm
  show transfer 1 --confirm --to
  show transfer 1 --to --confirm
  show deposit 50.00 --confirm --json
  show deposit 50.00 --json
  show open gym --json
  show open gym
  show open savings --type asset --json
  show open Gym
  show open x --type equity
  show deposit 7.05 --into savings --memo gift --confirm --json
  show deposit 7.05 --into gym --confirm
  show transfer 0.01 --to savings --confirm --json
  show setup all -y --json
  show setup some
  show balance savings --json
  show balance nobody
  show balance
  show accounts --json
  show accounts
  show history --json
  show history --limit 2 --account savings
  show history --limit 0
  show history --limit 501
  show validate --json
  show validate
  show doctor --json
  show doctor
  show capabilities --json
  show --help
  show transfer --help
  show
  show pay
  show balance --memo x
  show --loud
} | sed 's/20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-9:]*Z/DATE/g' | transcript

# C-6: reads write nothing
fresh
for word in balance accounts history validate doctor capabilities; do json "$word" "$word" --json; done
is 'reads leave the folder empty' '' "$(ls -A)"

# amounts: exact, or refused
for amount in '' 0 0.00 -1 -0 +1 1e5 1E2 1.234 .5 5. 01 00.5 1,5 '1 2' ' 1' '1 ' abc 0x10 inf nan 1000000000 99999999999999999999 "1
2" '$(id)' '1;2' 2.8.0; do
  refused "amount <$amount>" transfer --to demo-transit --confirm -- "$amount"
done
is 'refused amounts leave no book' '' "$(ls -A)"
json 'three cents' transfer 0.03 --to demo-transit --confirm --json
has 'three cents' '"amount":"0.03"' "$out"
has 'three cents' '"balance":"9999.97"' "$out"
for amount in 0.10 0.30 0.77 0.8 0.09 10.01 100; do
  fresh
  json "amount $amount" transfer "$amount" --to demo-transit --confirm --json
  cents=$(printf '%s' "$amount" | "$checker" '{ printf "%.2f", $0 }')
  has "amount $amount" "\"amount\":\"$cents\"" "$out"
  json "amount $amount, paid" balance demo-transit --json
  has "amount $amount, paid" "\"balance\":\"$cents\"" "$out"
done
fresh
json 'three cents' transfer 0.03 --to demo-transit --confirm --json
json 'all that is left' transfer 9999.97 --to demo-transit --confirm --json
has 'all that is left' '"balance":"0.00"' "$out"
refused 'nothing left' transfer 0.01 --to demo-transit --confirm
has 'nothing left' 'not enough money: main has 0.00, 0.01 is needed' "$err"
json 'much' deposit 999999999.99 --confirm --json
json 'sums stay exact' deposit 0.01 --confirm --json
has 'sums stay exact' '"balance":"1000000000.00"' "$out"

# R-8: hostile words stay words
fresh
euro=$(printf '\342\202\254')
memo="'\"\\ \$(touch evil) \`touch evil\` %s%d ${euro} - %41
two	tabs	--confirm"
json 'memo' transfer 1 --to demo-transit --memo "$memo" --confirm --json
has 'memo' "\"memo\":\"'\\\"\\\\ \$(touch evil) \`touch evil\` %s%d ${euro} - %41\\ntwo\\ttabs\\t--confirm\"" "$out"
json 'memo in the history' history --json
has 'memo in the history' "%s%d ${euro} - %41\\ntwo\\ttabs\\t--confirm\"" "$out"
is 'nothing ran' 'ledger.journal' "$(ls -A)"
refused 'memo, no UTF-8' transfer 1 --to demo-transit --memo "$(printf 'x\377y')" --confirm
refused 'memo of 64 KiB' transfer 1 --to demo-transit --memo "$(repeat 0123456789abcdef 4096)" --confirm
refused 'payee of 64 KiB' transfer 1 --to "$(repeat 0123456789abcdef 4096)" --confirm
refused 'payee, no UTF-8' transfer 1 --to "$(printf '\377\033[2J\n')x" --confirm
refused 'command of odd bytes' "$(printf '\303("\\')"
refused 'flag of odd bytes' balance "$(printf -- '--\377\n')x"
json 'memo of 500 bytes' transfer 1 --to demo-transit --memo "$(repeat '% - ' 125)" --confirm --json
json 'the book holds' validate --json
for name in 10 1e1 010; do json "account $name" open "$name" --type asset --json; done
json 'account 10' deposit 5 --into 1e1 --confirm --json
json 'names are no numbers' history --account 10 --json
has 'names are no numbers' '"count":0' "$out"

# a crowd: fifty at once, none lost, none twice
fresh
i=0
while [ $i -lt 50 ]; do
  cli transfer 2.80 --to demo-transit --confirm --json >"$tmp/out.$i" 2>&1 &
  i=$((i + 1))
done
wait
json 'after fifty' balance --json
has 'after fifty' '"balance":"9860.00"' "$out"
json 'after fifty' balance demo-transit --json
has 'after fifty' '"balance":"140.00"' "$out"
is 'fifty ids, all different' 50 "$(cat "$tmp"/out.* | sed -n 's/.*"id":"\(t[0-9]*\)".*/\1/p' | sort -u | wc -l | tr -d ' ')"
is 'fifty balances, all different' 50 "$(cat "$tmp"/out.* | sed -n 's/.*"balance":"\([0-9.]*\)".*/\1/p' | sort -u | wc -l | tr -d ' ')"
json 'fifty balance' validate --json
has 'fifty balance' '"entries":51' "$out"
rm -f "$tmp"/out.*

# a race for the last coins: exactly three of twelve are paid
json 'drain' transfer 9859.00 --to demo-grocer --confirm --json
i=0
while [ $i -lt 12 ]; do
  cli transfer 0.30 --to demo-bakery --confirm --json >"$tmp/out.$i" 2>&1 &
  i=$((i + 1))
done
wait
is 'three paid' 3 "$(cat "$tmp"/out.* | grep -c '"ok":true')"
is 'nine refused' 9 "$(cat "$tmp"/out.* | grep -c 'not enough money')"
json 'a dime is left' balance --json
has 'a dime is left' '"balance":"0.10"' "$out"
json 'the race balances' validate --json
rm -f "$tmp"/out.*

# kill -9 at any moment: what was said to be paid is there, once; the book balances
fresh
: >"$tmp/acks"
i=1
while [ $i -le 60 ]; do
  delay=0.0$((i % 4))$((i % 10))1
  [ $((i % 6)) != 0 ] || delay=9 # some get through on the slowest machine
  # shellcheck disable=SC2086
  timeout -s KILL "$delay" $SH "$root/packs/ledger/bin/ledger" transfer 0.01 --to demo-transit --memo "n$i" --confirm --json >>"$tmp/acks" 2>/dev/null &
  wait $! 2>/dev/null
  i=$((i + 1))
done
acked=$(grep -c . "$tmp/acks")
[ "$acked" -gt 0 ] && [ "$acked" -lt 60 ] && pass || fail "sixty kills: $acked of 60 answered, so nothing was tested"
json 'after sixty kills' validate --json
json 'after sixty kills, paying works' transfer 0.01 --to demo-transit --memo last --confirm --json
json 'after sixty kills' history --limit 500 --json
printf '%s\n' "$out" >"$tmp/history"
# shellcheck disable=SC2013
for memo in $(sed -n 's/.*"memo":"\(n[0-9]*\)".*/\1/p' "$tmp/acks"); do
  is "payment $memo" 1 "$(grep -o "\"memo\":\"$memo\"" "$tmp/history" | wc -l | tr -d ' ')"
done
paid=$(grep -o '"memo":"[nl]' "$tmp/history" | wc -l | tr -d ' ')
json 'after sixty kills' balance demo-transit --json
has 'as much as there are entries' "\"balance\":\"0.$(printf '%02d' "$paid")\"" "$out"

# a full disk cuts a line short: it never counts, and the next one does
fresh
for i in 1 2 3; do json "line $i" transfer 1 --to demo-transit --confirm --json; done
size=$(($(wc -c <ledger.journal)))
blocks=$(((size + 511) / 512))
memo=$(repeat x $((blocks * 512 - size + 20)) | cut -c1-490)
code=0
err=$( (trap '' XFSZ; ulimit -f "$blocks"; cli transfer 5 --to demo-transit --memo "$memo" --confirm 2>&1 >/dev/null) ) || code=$?
is 'full disk: exit' 1 "$code"
has 'full disk' 'disk full?' "$err"
[ $(($(wc -c <ledger.journal))) -gt "$size" ] && pass || fail 'full disk: nothing was cut short, so nothing was tested'
json 'full disk: the book balances' validate --json
has 'full disk: one torn line' '"torn":1' "$out"
json 'full disk: nothing was paid' balance --json
has 'full disk: nothing was paid' '"balance":"9997.00"' "$out"
code=0
out=$(cli doctor --json 2>"$tmp/err") || code=$?
is 'full disk: doctor warns' 2 "$code"
has 'full disk: doctor warns' '"status":"degraded"' "$out"
json 'full disk over' transfer 5 --to demo-transit --confirm --json
has 'full disk over' '"balance":"9992.00"' "$out"

# a forged or spoilt line is seen; a doubled one does not pay twice
fresh
json 'one' transfer 1 --to demo-transit --confirm --json
cp ledger.journal "$tmp/good"
tail -n 1 "$tmp/good" >>ledger.journal
json 'doubled line' balance --json
has 'doubled line' '"balance":"9999.00"' "$out"
sed 's/transfer 100 /transfer 900 /' "$tmp/good" >ledger.journal
refused 'forged line' validate
has 'forged line' 'is damaged' "$err"
code=0
out=$(cli doctor --json 2>/dev/null) || code=$?
is 'forged line: doctor' '1 broken' "$code $(printf '%s' "$out" | sed 's/{"status":"\([a-z]*\)".*/\1/')"

# odd places
fresh
ln -s "$tmp/elsewhere" ledger.journal
refused 'symbolic link' transfer 1 --to demo-transit --confirm
[ ! -e "$tmp/elsewhere" ] && pass || fail 'wrote through a symbolic link'
fresh
mkdir ledger.journal
refused 'a folder as the book' balance
fresh
if [ "$(id -u)" != 0 ]; then
  chmod 555 .
  refused 'read-only folder' transfer 1 --to demo-transit --confirm
  json 'read-only folder, read' balance --json
  chmod 755 .
fi
finish
