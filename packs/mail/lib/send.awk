# send.awk: checks and writes one message; used together with mail.awk. Prints the file's name, then the answer.
function addresses(s,   p, n, i, a, out) {
  n = split(s, p, /,/)
  if (n > 50) die("too many addresses: at most 50")
  for (i = 1; i <= n; i++) {
    a = p[i]; sub(/^ +/, "", a); sub(/ +$/, "", a)
    if (!address(a)) die("bad address " show(a) ": write name@example.com")
    out = out (i > 1 ? ", " : "") a
  }
  return out
}
function address(a,   p, n, d, i, local) {
  p = index(a, "@"); local = substr(a, 1, p - 1)
  if (p < 2 || length(local) > 64 || length(a) - p > 253) return 0
  if (local !~ /^[A-Za-z0-9.!#$%&'*+\/=?^_`{|}~-]+$/ || local ~ /^[.-]|\.\.|\.$/) return 0
  n = split(substr(a, p + 1), d, /\./)
  for (i = 1; i <= n; i++) if (length(d[i]) > 63 || d[i] !~ /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/) return 0
  return n > 0
}
# A subject that is plain ASCII stays; another becomes encoded words of at most 75 bytes, none splitting a character.
function subject(s,   i, n, k, c, j, w, out) {
  if (s !~ /[^ -~]/ && index(s, "=?") == 0) return s
  n = length(s)
  for (i = 1; i <= n; i += k) {
    k = ORD[substr(s, i, 1)] < 128 ? 1 : utf8(s, i, ORD[substr(s, i, 1)])
    c = substr(s, i, k)
    if (c == " ") c = "_"
    else if (c !~ /^[A-Za-z0-9]$/) { c = ""; for (j = 0; j < k; j++) c = c sprintf("=%02X", ORD[substr(s, i + j, 1)]) }
    if (length(w) + length(c) > 60) { out = out (out == "" ? "" : "\n ") "=?UTF-8?Q?" w "?="; w = "" }
    w = w c
  }
  return out (out == "" ? "" : "\n ") "=?UTF-8?Q?" w "?="
}
function encode(s,   i, n, c, o, line, out) {
  n = length(s)
  for (i = 1; i <= n; i++) {
    c = substr(s, i, 1); o = ORD[c]
    if (o == 10) { out = out line "\n"; line = ""; continue }
    if (o > 126 || o == 61 || o < 32 || (o == 32 && (i == n || substr(s, i + 1, 1) == "\n"))) c = sprintf("=%02X", o)
    if (length(line) + length(c) > 75) { out = out line "=\n"; line = "" }
    line = line c
  }
  return out line
}
function nonce(   s, line, i, n, h, g) {
  while (length(s) < 48 && i++ < 999 && (getline line < "/dev/urandom") > 0) s = s line
  close("/dev/urandom")
  if (length(s) < 48) die("no random numbers here (/dev/urandom)")
  n = length(s)
  for (i = 1; i <= n; i++) if (i % 2) h = (h * 263 + ORD[substr(s, i, 1)]) % 1073741789; else g = (g * 257 + ORD[substr(s, i, 1)]) % 1073741783
  return sprintf("%08x%08x", h, g)
}
function put(path, s,   line, back, n, same) {
  printf "%s", s > path; close(path)
  n = split(s, WANT, /\n/) - 1; same = 1
  while ((getline line < path) > 0) if (line "" != WANT[++back] "") same = 0
  close(path)
  if (!same || back != n) die("the message could not be written (disk full?); nothing was sent")
}
function send(   to, subj, body, now, id, s, p, enc, me, long, i, n, L) {
  to = addresses(ENVIRON["MAIL_TO"]); subj = ENVIRON["MAIL_SUBJECT"]; body = ENVIRON["MAIL_BODY"]
  me = ENVIRON["MAIL_ME"] == "" ? "me@mail.example" : ENVIRON["MAIL_ME"]
  if (!address(me)) die("MAIL_ME is no address")
  if (subj ~ /[\001-\037\177]/) die("the subject has a line break or a control character")
  if (length(subj) > 900) die("the subject is too long: at most 900 bytes")
  if (!valid(subj)) die("the subject is not valid UTF-8")
  if (!valid(body)) die("the body is not valid UTF-8")
  gsub(/\r\n/, "\n", body)
  n = split(body, L, /\n/); for (i = 1; i <= n; i++) if (length(L[i]) > 900) long = 1
  enc = long || body ~ /[\001-\010\013-\037\177]/ ? "quoted-printable" : body ~ /[\200-\377]/ ? "8bit" : "7bit"
  now = ENVIRON["MAIL_NOW"]; p = index(now, " "); id = substr(now, 1, p - 1) "." nonce()
  s = "From: " me "\nTo: " fold(to) "\nSubject: " subject(subj) "\nDate: " substr(now, p + 1) "\nMessage-ID: <" id "@mail.example>\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: " enc "\n\n" (enc == "quoted-printable" ? encode(body) : body)
  if (s !~ /\n$/) s = s "\n"
  put("outbox/." id ".tmp", s); put("Maildir/.Sent/tmp/" id, s)
  print id
  say(head("mail.send") ",\"id\":\"" id "\",\"to\":" str(to) ",\"subject\":" str(subj) ",\"folder\":\"sent\",\"queued\":true}", "queued " id " to " to)
}
function fold(s) { gsub(/, /, ",\n ", s); return s }
