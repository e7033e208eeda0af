#!/bin/sh
# shellcheck disable=SC2015,SC2016,SC2010,SC2012,SC2013 # `a && pass || fail`: pass never fails; awk programs and hostile words are meant as they stand
# The mail pack's own CLI: reading odd mail as sound JSON, refusing what would forge a header, sending whole or not at all.
pack=mail
. "$(dirname "$0")/lib.sh"

# T-3, C-6: the samples, then a first message of one's own
{
  show list --folder=inbox --json
  show list
  show list --limit 1 --json
  show list --folder INBOX --limit 2
  show list --folder sent --json
  show list --folder outbox
  show find --query Laura --json
  show find --from anna@acme.example --json
  show find --query zoo --from transit
  show find --query '' --from ''
  show find --query nothing-has-this --json
  show show 1001.laura --json
  show show 1002.anna --json
  show show 1003.transit
  show folders --json
  show folders
  show validate --json
  show doctor --json
  show doctor
  show send --to user@example.com --subject Hello --confirm --json
  show send --to=a@b.example,c@d.example --subject='Two of you' --body 'Hello,

see you.' --confirm
  show send --to user@example.com --subject Hello
  show send --to user@example.com --confirm
  show send --subject Hello --confirm
  show send --to user --subject Hello --confirm
  show send --to '-oQ/tmp@x' --subject Hello --confirm
  show send --to 'Anna <anna@acme.example>' --subject Hello --confirm
  show send --to a@b --to c@d --subject Hello --confirm
  show folders --json
  show validate
  show doctor --json
  show capabilities --json
  show list --folder ../inbox
  show list --folder a/b
  show list --folder .Sent
  show list --folder nope
  show list --limit 0
  show list --query x
  show list extra
  show show
  show show nope
  show show ../../../etc/passwd
  show show '*'
  show show a b
  show find --query
  show --help
  show
  show fetch
  show list --all
} | sed 's/[0-9][0-9]*\.[0-9a-f]\{16\}/ID/g' | transcript

# C-6: reads write nothing
fresh
for word in list find folders validate doctor capabilities 'show 1001.laura'; do
  # shellcheck disable=SC2086
  json "$word" $word --json
done
is 'reads leave the folder empty' '' "$(ls -A)"

# header injection, and everything else that must not get into a header
nl='
'
for bad in "a@b.example${nl}Bcc: x@y.example" "$(printf 'a@b.example\r\nBcc: x@y.example')" 'a@b..example' '@b' 'a@' 'a b@c' '.a@b' 'a.@b' 'a@-b' 'a@b,' ',' 'a@b,,c@d' '$(touch evil)@b' "$(printf 'a\377@b')" "$(repeat a 70)@b" "a@$(repeat b 64)"; do
  refused "to <$bad>" send --to "$bad" --subject x --confirm
done
for bad in "x${nl}Bcc: x@y.example" "$(printf 'x\r\nBcc: y')" "$(printf 'x\ry')" "$(printf 'x\033[2Jy')" "$(printf 'x\377')" "$(printf 'x\355\240\200')" "$(repeat x 901)"; do
  refused "subject <$bad>" send --to a@b.example --subject "$bad" --confirm
done
refused 'body, no UTF-8' send --to a@b.example --subject x --body "$(printf '\300\200')" --confirm
is 'nothing ran, nothing was filed' '' "$(find . -type f)"

# what goes out comes back, whatever it is
quotes="'\"\\ \$(touch evil) \`touch evil\` %s =41 =?UTF-8?Q?x?= --confirm"
utf=$(printf 'Gr\303\274\303\237e \342\200\223 \360\237\246\201')
long=$(repeat "$utf " 50)
for subject in Hello "$quotes" "$utf" "$long" '--'; do
  subject=$(printf '%s' "$subject" | sed 's/ *$//')
  json "subject <$subject>" send --to a@b.example --subject "$subject" --body x --confirm --json
  id=$(printf '%s' "$out" | sed 's/.*"id":"\([^"]*\)".*/\1/')
  json "subject <$subject> again" show "$id" --json
  has "subject <$subject> again" "\"subject\":\"$(printf '%s' "$subject" | sed 's/[\\"]/\\&/g')\"" "$out"
done
for body in '' 'one line' "$quotes" "$utf${nl}$utf" "$long" "$(printf 'a\tb\001c\033d\177e\rf')" "From x${nl}.${nl}..${nl}--${nl}=" "$(repeat 0123456789abcdef 4095)"; do
  json 'body' send --to a@b.example --subject x --body "$body" --confirm --json
  id=$(printf '%s' "$out" | sed 's/.*"id":"\([^"]*\)".*/\1/')
  json 'body again' show "$id" --json
  want=$(printf '%s' "$body" | "$checker" 'BEGIN { for (i = 1; i < 128; i++) ORD[sprintf("%c", i)] = i }
    { if (NR > 1) printf "\\n"; for (i = 1; i <= length($0); i++) { c = substr($0, i, 1)
      if (c == "\\" || c == "\"") printf "\\%s", c; else if (c == "\t") printf "\\t"; else if (c == "\r") printf "\\r"
      else if ((c in ORD) && (ORD[c] < 32 || ORD[c] == 127)) printf "\\u%04x", ORD[c]; else printf "%s", c } }')
  has 'body again' "\"body\":\"$want\"" "$out"
  is 'no line over 998 bytes' '' "$("$checker" 'length($0) > 998 { print FILENAME }' "outbox/$id.eml")"
  is 'the same file twice' '' "$(diff "outbox/$id.eml" "Maildir/.Sent/cur/$id:2,S")"
done
is 'nothing ran' '' "$(find . -name evil)"
json 'all sound' validate --json
refused 'body over what one word can carry' send --to a@b.example --subject "$(repeat 0123456789abcdef 4096)" --confirm
refused 'flag of odd bytes' list "$(printf -- '--\377\n')x"
refused 'command of odd bytes' "$(printf '\303("\\\n')x"

# mail as it comes: whatever the bytes, one sound JSON value
fresh
mkdir -p Maildir/cur Maildir/new Maildir/tmp Maildir/.Work/cur
m=Maildir/new
printf '' >$m/empty
printf 'no header at all\nfrom: x\n' >$m/bare
printf 'SUBJECT : upper\nfRoM:a@b\n\nx' >$m/case
printf 'Subject: one\n two\n\tthree\nSubject: second one\nDate: nonsense\n\n' >$m/folded
printf 'From x Mon Jan  1 00:00:00 2001\nSubject: mbox\r\nDate: Tue, 29 Feb 2028 23:30:00 -0130 (comment)\r\n\r\nline\r\n' >$m/mbox
printf 'Subject: \377\303(\355\240\200\300\200\033[2J"\\\177\n\n\000\001\002"\\\377\n' >$m/odd
printf 'Subject: =?utf-8?b?4pyT?= =?UTF-8?Q?a=5Fb_?= =?iso-8859-1?q?=E4?= =?x?z?y?=\nDate: 31 Apr 2026 10:00:00 +0000\n\n' >$m/words
printf 'Content-Type: multipart/alternative; boundary="=_b"\n\npreamble\n--=_b\nContent-Type: text/html\n\n<p>x\n--=_b\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe=\n!\n--=_b--\nepilogue\n' >$m/parts
printf 'Content-Transfer-Encoding: base64\n\nSGVs\nbG8!\n' >"Maildir/cur/b64:2,RS"
printf 'Subject: big\n\n' >Maildir/cur/big:2,
repeat 'all work and no play makes a long mail. ' 10000 >>Maildir/cur/big:2,
printf 'Subject: work\n\n' >Maildir/.Work/cur/w1
mkfifo $m/fifo
ln -s /etc/passwd $m/link
mkdir $m/folder
{
  show list --json
  for id in empty bare case folded mbox odd words parts b64 w1; do show show $id --json; done
  show find --query HELLO --json
  show list --folder Work --json
  show folders
  show show link
} | sed '/show odd/,/words/s/"body":"[^}]*}/"body":…}/' >"$tmp/odd.txt"
[ -z "${UPDATE-}" ] || cp "$tmp/odd.txt" "$here/expected/mail-odd.txt"
if diff -u "$here/expected/mail-odd.txt" "$tmp/odd.txt"; then pass; else fail 'odd mail differs'; fi
for id in empty bare case folded mbox odd words parts b64 big w1; do json "odd mail $id" show $id --json; done
json 'a big one' show big --json
has 'a big one' '"truncated":true' "$out"
json 'odd mail' list --json
json 'odd mail' find --query x --json
refused 'odd mail: validate names it' validate
has 'odd mail: validate names it' 'is no mail' "$err"

# an outbox that a killed send did not file: seen, then mended by the next send
fresh
json 'first' send --to a@b.example --subject x --confirm --json
id=$(printf '%s' "$out" | sed 's/.*"id":"\([^"]*\)".*/\1/')
mv "Maildir/.Sent/cur/$id:2,S" "Maildir/.Sent/tmp/$id"
refused 'not filed' validate
code=0
out=$(cli doctor --json 2>/dev/null) || code=$?
is 'not filed: doctor warns' 2 "$code"
: >"Maildir/.Sent/tmp/1000000000.0123456789abcdef"
: >outbox/.1000000000.0123456789abcdef.tmp
json 'second' send --to a@b.example --subject y --confirm --json
json 'mended' validate --json
is 'two are filed' 2 "$(ls Maildir/.Sent/cur | wc -l | tr -d ' ')"
is 'old leftovers are swept' '' "$(ls -A Maildir/.Sent/tmp outbox | grep '1000000000')"
rm "Maildir/.Sent/cur/$id:2,S"
json 'third' send --to a@b.example --subject z --confirm --json
json 'a lost copy is made again' validate --json

# a crowd, and kill -9 at any moment
fresh
i=0
while [ $i -lt 20 ]; do
  cli send --to a@b.example --subject "n$i" --body hello --confirm --json >"$tmp/out.$i" 2>&1 &
  i=$((i + 1))
done
wait
is 'twenty answered' 20 "$(cat "$tmp"/out.* | grep -c '"ok":true')"
is 'twenty in the outbox' 20 "$(ls outbox | wc -l | tr -d ' ')"
is 'twenty filed' 20 "$(ls Maildir/.Sent/cur | wc -l | tr -d ' ')"
json 'twenty sound' validate --json
rm -f "$tmp"/out.*
fresh
: >"$tmp/acks"
i=1
while [ $i -le 60 ]; do
  delay=0.0$((i % 6))$((i % 10))1
  [ $((i % 6)) != 0 ] || delay=9 # some get through on the slowest machine
  # shellcheck disable=SC2086
  timeout -s KILL "$delay" $SH "$root/packs/mail/bin/mail" send --to a@b.example --subject "n$i" --body "hello $i" --confirm --json >>"$tmp/acks" 2>/dev/null &
  wait $! 2>/dev/null
  i=$((i + 1))
done
acked=$(grep -c . "$tmp/acks")
[ "$acked" -gt 0 ] && [ "$acked" -lt 60 ] && pass || fail "sixty kills: $acked of 60 answered, so nothing was tested"
json 'after sixty kills, sending works' send --to a@b.example --subject last --confirm --json
json 'after sixty kills' validate --json
for id in $(sed -n 's/.*"id":"\([^"]*\)".*/\1/p' "$tmp/acks"); do
  [ -f "outbox/$id.eml" ] && [ -f "Maildir/.Sent/cur/$id:2,S" ] && pass || fail "message $id was acknowledged and is not there"
done
for file in outbox/*.eml; do
  is "whole: $file" 1 "$(grep -c '^MIME-Version: 1.0$' "$file")"
  id=${file#outbox/}
  is "filed: $file" '' "$(diff "$file" "Maildir/.Sent/cur/${id%.eml}:2,S" 2>&1)"
done

# a full disk
fresh
code=0
err=$( (trap '' XFSZ; ulimit -f 1; cli send --to a@b.example --subject x --body "$(repeat 0123456789abcdef 100)" --confirm 2>&1 >/dev/null) ) || code=$?
is 'full disk: exit' 1 "$code"
has 'full disk' 'nothing was sent' "$err"
is 'full disk: nothing in the outbox' '' "$(ls outbox Maildir/.Sent/cur | grep '\.eml\|:2,')"

# odd places
fresh
ln -s "$tmp" Maildir
refused 'symbolic link' list
fresh
: >outbox
refused 'outbox is a file' send --to a@b.example --subject x --confirm
code=0
out=$(cli doctor --json 2>/dev/null) || code=$?
is 'outbox is a file: doctor' 1 "$code"
if [ "$(id -u)" != 0 ]; then
  fresh
  chmod 555 .
  refused 'read-only folder' send --to a@b.example --subject x --confirm
  json 'read-only folder, read' list --json
  chmod 755 .
fi
finish
