#!/bin/sh
# shellcheck disable=SC2015,SC2016 # `a && pass || fail`: pass never fails; awk programs and hostile words are meant as they stand
# The transit pack's own CLI: plans, refusals, and that it needs neither a clock nor a folder it may write.
pack=transit
. "$(dirname "$0")/lib.sh"

# T-3, C-6
{
  show plan A B --json
  show plan A B
  show plan a 'brook street' --json
  show plan "King's Hospital" A
  show plan A K --at=08:05 --json
  show plan A K --at 08:05 --max-changes=0
  show plan G P --at=09:00
  show plan A M --json
  show plan U D --json
  show plan A Z --at 21:00
  show plan A Z --at 23:30 --json
  show plan Z A
  show plan A S --max-changes 0
  show plan A A
  show plan A
  show plan
  show plan A B C
  show plan A nowhere
  show plan S A --at 8:00
  show plan A B --at 24:00
  show plan A B --at ''
  show plan A B --max-changes 6
  show plan A B --at 08:00 --at 09:00
  show plan A B --limit 3
  show plan -- A B
  show stops --json
  show stops square
  show stops zzz --json
  show lines --json
  show lines
  show show T1 --json
  show show t1
  show show N1 --json
  show show X9
  show departures C --limit 4 --json
  show departures central --at=22:50
  show departures Z --json
  show departures C --limit 0
  show follow T1-out-0800 --at=07:59 --json
  show follow T1-out-0800 --at=08:00 --json
  show follow T1-out-0800 --at=08:05 --json
  show follow T1-out-0800 --at=08:18 --json
  show follow T1-out-0801
  show follow T1
  show validate --json
  show validate
  show doctor --json
  show doctor
  show capabilities --json
  show --help
  show
  show fly
  show lines --fast
} | transcript
is 'nothing was written' '' "$(ls -A)"

# the clock is read only when asked for
json 'now' departures C --at now --json
a=$(cli plan A B --json)
b=$(TZ=Pacific/Auckland cli plan A B --json)
is 'the same question, the same answer' "$a" "$b"

# R-8: hostile words stay words
refused 'stop of 64 KiB' plan A "$(repeat 0123456789abcdef 4096)"
refused 'stop of odd bytes' plan A "$(printf '\377\303("\\$(touch evil)\n')x"
refused 'trip of odd bytes' follow "$(printf '%%s-\377-99')"
refused 'time with a tail' plan A B --at '08:00
09:00'
is 'nothing ran' '' "$(ls -A)"

# every pair of stops: a plan whose legs follow each other, or one clear line
stops=$(cli stops | sed 's/ .*//')
for from in $stops; do
  for to in $stops; do
    [ "$from" != "$to" ] || continue
    if out=$(cli plan "$from" "$to" --at=20:30 --json 2>"$tmp/err"); then
      why=$(printf '%s\n' "$out" | "$checker" -f "$here/json.awk") || fail "$from $to: $why"
      why=$(printf '%s\n' "$out" | sed 's/.*"legs"://; s/},{/}\n{/g' | "$checker" -v from="$from" -v to="$to" '
        function f(k,  v) { v = $0; if (!sub(".*\"" k "\":\"", "", v)) return ""; sub(/".*/, "", v); return v }
        { if (f("from") != (NR == 1 ? from : at)) { print "leg " NR " begins elsewhere"; exit }
          if (f("departs") >= f("arrives") || f("departs") < last) { print "leg " NR " breaks time"; exit }
          at = f("to"); last = f("arrives") }
        END { if (at != to) print "ends at " at }')
      is "$from to $to" '' "$why"
    else
      is "$from to $to" "transit: no connection from $from to $to after 20:30" "$(cat "$tmp/err")"
    fi
  done
done

# a timetable with a fault is refused, not guessed at; one without a file too
mkdir -p "$tmp/copy/bin" "$tmp/copy/timetable"
cp "$root/packs/transit/bin/transit" "$tmp/copy/bin/"
copy() {
  # shellcheck disable=SC2086
  (pack=copy; $SH "$tmp/copy/bin/transit" "$@")
}
for fault in 'run|T1|out|05:30|22:50|10|A:0,C:0' 'run|XX|out|05:30|22:50|10|A:0,C:4' 'run|T1|out|05:30|23:59|10|A:0,C:4' 'run|T1|out|22:00|05:30|10|A:0,C:4' \
  'run|T1|out|05:30|22:50|10|A:0,Q:4' 'run|T1|out|05:30|22:50|0|A:0,C:4' 'stop|A|Again' 'walk|A|Q|3' 'walk|A|B|0' 'nonsense' 'run|T1|out|05:30|22:50|10|A:0'; do
  { cat "$root/packs/transit/timetable/demo.txt"; printf '%s\n' "$fault"; } >"$tmp/copy/timetable/demo.txt"
  for word in validate doctor 'plan A B'; do
    code=0
    # shellcheck disable=SC2086
    err=$(copy $word 2>&1 >/dev/null) || code=$?
    is "fault $fault, $word" 1 "$code"
    has "fault $fault, $word" 'of the timetable' "$err"
  done
done
rm "$tmp/copy/timetable/demo.txt"
has 'no timetable' 'the timetable cannot be read' "$(copy plan A B 2>&1)"
: >"$tmp/copy/timetable/demo.txt"
has 'an empty timetable' 'the timetable is empty' "$(copy doctor 2>&1)"
finish
