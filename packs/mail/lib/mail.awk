# mail.awk: reads messages and answers. What to do comes in by MAIL_… variables (no escapes are read from them), the
# files on stdin. Everything runs under LC_ALL=C: a character is a byte here, and text() makes valid UTF-8 of it.
function die(m) { print "mail: " m | "cat 1>&3"; close("cat 1>&3"); exit 1 }

# Bytes to text that is safe in JSON (json=1) or on a terminal's line: what is no UTF-8 becomes U+FFFD.
function text(s, json,   i, n, c, o, p, k, out, buf) {
  if (s !~ /[^ -~]|["\\]/) return s
  n = length(s)
  for (i = 1; i <= n; i++) {
    c = substr(s, i, 1); o = (c in ORD) ? ORD[c] : 0
    if (o >= 128) {
      k = utf8(s, i, o); p = k ? substr(s, i, k) : "\357\277\275"
      if (k) i += k - 1
    } else if (o < 32 || o == 127) {
      if (!json) p = "?"
      else p = o == 10 ? "\\n" : o == 9 ? "\\t" : o == 13 ? "\\r" : sprintf("\\u%04x", o)
    } else p = (json && (o == 34 || o == 92)) ? "\\" c : c
    buf = buf p
    if (length(buf) > 512) { out = out buf; buf = "" }
  }
  return out buf
}
# Length of the UTF-8 sequence at i, 0 when there is none (RFC 3629: no overlong forms, no surrogates).
function utf8(s, i, o,   k, j, x, lo, hi) {
  k = o < 194 ? 0 : o < 224 ? 2 : o < 240 ? 3 : o < 245 ? 4 : 0
  lo = o == 224 ? 160 : o == 240 ? 144 : 128
  hi = o == 237 ? 159 : o == 244 ? 143 : 191
  for (j = 1; j < k; j++) {
    x = ORD[substr(s, i + j, 1)] + 0
    if (x < lo || x > hi) return 0
    lo = 128; hi = 191
  }
  return k
}
function valid(s,   i, k, n) {
  if (s !~ /[^\001-\177]/) return 1
  n = length(s)
  for (i = 1; i <= n; i++) if (ORD[substr(s, i, 1)] >= 128) { if (!(k = utf8(s, i, ORD[substr(s, i, 1)]))) return 0; i += k - 1 }
  return 1
}
function str(s) { return "\"" text(s, 1) "\"" }
function show(s) { return length(s) > 64 ? text(substr(s, 1, 64), 0) "..." : text(s, 0) }
function head(verb) { return "{\"ok\":true,\"verb\":\"" verb "\"" }
function say(js, human) { print JSON ? js : human; exit 0 }
function trim(s) { sub(/^[ \t]+/, "", s); sub(/[ \t\r]+$/, "", s); return s }

# --- decoding
function hex(c) { return index("0123456789abcdef", tolower(c)) - 1 }
function qp(s, header,   p, out, a, b) {
  if (header) gsub(/_/, " ", s)
  while ((p = index(s, "=")) > 0) {
    a = hex(substr(s, p + 1, 1)); b = hex(substr(s, p + 2, 1))
    if (p + 2 > length(s) || a < 0 || b < 0) { out = out substr(s, 1, p); s = substr(s, p + 1); continue }
    out = out substr(s, 1, p - 1) sprintf("%c", a * 16 + b); s = substr(s, p + 3)
  }
  return out s
}
function base64(s,   i, n, v, bits, acc, out, buf) {
  n = length(s)
  for (i = 1; i <= n; i++) {
    v = index(B64, substr(s, i, 1)) - 1
    if (v < 0) continue
    acc = acc * 64 + v; bits += 6
    if (bits >= 8) { bits -= 8; v = int(acc / POW[bits]); acc -= v * POW[bits]; buf = buf (v ? sprintf("%c", v) : "\357\277\275") }
    if (length(buf) > 512) { out = out buf; buf = "" }
  }
  return out buf
}
function latin1(s,   i, n, o, out) {
  if (s !~ /[\200-\377]/) return s
  n = length(s)
  for (i = 1; i <= n; i++) { o = ORD[substr(s, i, 1)]; out = out (o < 128 ? substr(s, i, 1) : sprintf("%c%c", 192 + int(o / 64), 128 + o % 64)) }
  return out
}
# Encoded words (RFC 2047); white space between two of them is not text.
function words(s,   out, w, f, t, gap, last) {
  while (match(s, /=\?[^? ]+\?[BbQq]\?[^? ]*\?=/)) {
    gap = substr(s, 1, RSTART - 1); w = substr(s, RSTART + 2, RLENGTH - 4); s = substr(s, RSTART + RLENGTH)
    split(w, f, /\?/); t = tolower(f[2]) == "q" ? qp(f[3], 1) : base64(f[3])
    if (tolower(f[1]) ~ /^(iso-8859-1|latin1|windows-1252)/) t = latin1(t)
    out = out (last && gap ~ /^[ \t]*$/ ? "" : gap) t; last = 1
  }
  return out s
}

# --- dates: RFC 5322 to UTC, "" when it is none
function days(y, m, d) { if (m <= 2) { y--; m += 12 }; return 365 * y + int(y / 4) - int(y / 100) + int(y / 400) + int((153 * m - 457) / 5) + d - 306 }
function isodate(s,   f, n, d, m, y, t, z, x, off, len) {
  gsub(/\([^()]*\)/, " ", s); sub(/^[^,]*,/, "", s); n = split(s, f, /[ \t]+/); d = (f[1] == "") ? 1 : 0
  if (n < d + 4 || f[d + 1] !~ /^[0-9][0-9]?$/ || f[d + 3] !~ /^[0-9][0-9][0-9]?[0-9]?$/) return ""
  m = length(f[d + 2]) == 3 ? (index("janfebmaraprmayjunjulaugsepoctnovdec", tolower(f[d + 2])) + 2) / 3 : 0
  sub(/^0+/, "", f[d + 3]) # busybox awk reads 0026 as octal
  y = f[d + 3] + 0; if (y < 50) y += 2000; else if (y < 1000) y += 1900
  if (m < 1 || m != int(m) || y < 1900) return ""
  len = m == 2 ? 28 + (y % 4 == 0 && (y % 100 != 0 || y % 400 == 0)) : (m == 4 || m == 6 || m == 9 || m == 11) ? 30 : 31
  if (f[d + 1] < 1 || f[d + 1] + 0 > len) return ""
  x = split(f[d + 4], t, /:/)
  if (x < 2 || x > 3 || f[d + 4] !~ /^[0-9][0-9]?:[0-9][0-9](:[0-9][0-9])?$/ || t[1] + 0 > 23 || t[2] + 0 > 59 || t[3] + 0 > 60) return ""
  z = f[d + 5]
  if (z ~ /^[+-][0-9][0-9][0-5][0-9]$/) off = (substr(z, 2, 2) * 60 + substr(z, 4, 2)) * (z ~ /^-/ ? -1 : 1)
  else off = (toupper(z) in ZONE) ? ZONE[toupper(z)] * 60 : 0
  return civil(days(y, m, f[d + 1] + 0) * 1440 + t[1] * 60 + t[2] - off, t[3] + 0 > 59 ? 59 : t[3] + 0)
}
function civil(mins, sec,   z, y, m) {
  z = int(mins / 1440); mins -= z * 1440
  y = int(z / 365.2425) + 1
  while (days(y, 1, 1) > z) y--
  while (days(y + 1, 1, 1) <= z) y++
  for (m = 12; days(y, m, 1) > z; ) m--
  return sprintf("%04d-%02d-%02dT%02d:%02d:%02dZ", y, m, z - days(y, m, 1) + 1, int(mins / 60), mins % 60, sec)
}

# --- one message: H gets its headers (first of a name wins), BODY its text. 0 when the file cannot be read.
function header(line,   p) {
  if (line ~ /^[ \t]/) { if (LAST != "" && length(H[LAST]) < 8192) H[LAST] = H[LAST] " " trim(line); return 1 }
  p = index(line, ":")
  if (!p || line !~ /^[!-9;-~]+[ \t]*:/) { LAST = ""; return 0 }
  LAST = tolower(trim(substr(line, 1, p - 1))); NHEAD++
  if (LAST in H) LAST = ""
  else H[LAST] = trim(substr(line, p + 1, 8192))
  return 1
}
function message(path, want,   line, r, n) {
  split("", H); LAST = BODY = ""; NHEAD = TRUNC = NRAW = 0
  while ((r = (getline line < path)) > 0) {
    sub(/\r$/, "", line)
    if (line == "") break
    if (!header(line) && !NHEAD && line !~ /^>?From /) { RAW[++NRAW] = line; break }
  }
  if (r > 0 && want) {
    n = length(RAW[NRAW])
    while ((getline line < path) > 0) {
      n += length(line) + 1
      if (n > LIMIT) { TRUNC = 1; RAW[++NRAW] = substr(line, 1, LIMIT > n - length(line) ? LIMIT - n + length(line) : 0); break }
      sub(/\r$/, "", line); RAW[++NRAW] = line
    }
  }
  close(path)
  if (want) BODY = decode(1, NRAW, H["content-type"], H["content-transfer-encoding"])
  return r >= 0
}
function param(type, name,   p, v) {
  p = match(tolower(type), name "[ \t]*=[ \t]*"); if (!p) return ""
  v = substr(type, RSTART + RLENGTH)
  if (v ~ /^"/) { v = substr(v, 2); p = index(v, "\""); return p ? substr(v, 1, p - 1) : v }
  sub(/[; \t].*/, "", v); return v
}
# Text of lines a…b; of a multipart, its first text/plain part, or its first part that is text at all.
function decode(a, b, type, enc,   i, mark, out, buf, bare, soft, line) {
  if (tolower(type) ~ /^multipart\// && (mark = param(type, "boundary")) != "" && DEPTH < 8) return part(a, b, "--" mark)
  enc = tolower(trim(enc)); bare = enc == "base64"
  for (i = a; i <= b; i++) {
    line = RAW[i]
    if (enc == "quoted-printable") { sub(/[ \t]+$/, "", line); soft = sub(/=$/, "", line); line = qp(line, 0) }
    buf = buf line (bare || soft ? "" : "\n")
    if (length(buf) > 4096) { out = out buf; buf = "" }
  }
  out = out buf
  if (bare) { out = base64(out); gsub(/\r\n/, "\n", out) }
  if (tolower(param(type, "charset")) ~ /^(iso-8859-1|latin1|windows-1252)$/) out = latin1(out)
  sub(/\n+$/, "", out)
  return out
}
function part(a, b, mark,   i, j, type, enc, found, t, e, x, y, best) {
  for (i = a; i <= b && best != 2; i++) {
    if (index(RAW[i], mark) != 1) continue
    if (substr(RAW[i], length(mark) + 1, 2) == "--") break
    type = "text/plain"; enc = ""; split("", H2); LAST2 = ""
    for (j = i + 1; j <= b && RAW[j] != ""; j++) {
      if (RAW[j] ~ /^[ \t]/ && LAST2 != "") H2[LAST2] = H2[LAST2] " " trim(RAW[j])
      else if (match(RAW[j], /^[!-9;-~]+:/)) { LAST2 = tolower(substr(RAW[j], 1, RLENGTH - 1)); H2[LAST2] = trim(substr(RAW[j], RLENGTH + 1)) }
    }
    if ("content-type" in H2) type = H2["content-type"]
    enc = H2["content-transfer-encoding"]
    for (i = j + 1; i <= b && index(RAW[i], mark) != 1; ) i++
    found = tolower(type) ~ /^(text\/plain|multipart\/)/ ? 2 : tolower(type) ~ /^text\// ? 1 : 0
    if (found > best) { best = found; x = j + 1; y = i - 1; t = type; e = enc }
    i--
  }
  if (!best) return ""
  DEPTH++; i = decode(x, y, t, e); DEPTH--
  return i
}

# --- the list of files
function files(   line, p, path, base) {
  while ((getline line) > 0) {
    p = index(line, " "); path = substr(line, p + 1)
    if (!(substr(line, 1, p - 1) in SEENF)) { SEENF[substr(line, 1, p - 1)]; FOLD[++NFOLD] = substr(line, 1, p - 1) }
    if (path == "-") continue
    N++; PATH[N] = path; FOLDER[N] = substr(line, 1, p - 1); TOTAL[FOLDER[N]]++
    base = path; sub(/.*\//, "", base); FLAGS = ""
    if ((p = index(base, ":2,")) > 0) { FLAGS = substr(base, p + 3); base = substr(base, 1, p - 1) }
    sub(/\.eml$/, "", base); ID[N] = base
    if (path ~ /\/samples\/[^\/]*$/) SAMPLE = 1
    if (FOLDER[N] != "outbox" && FLAGS !~ /S/) { NEW[N] = 1; UNREAD[FOLDER[N]]++ }
  }
}
function keep(i) { FROM[i] = words(H["from"]); TO[i] = words(H["to"]); SUBJ[i] = words(H["subject"]); DATE[i] = isodate(H["date"]); KEY[i] = DATE[i] "\t" PATH[i] }
# Newest first; a merge sort, for a mailbox may hold thousands.
function order(lo, hi,   mid, i, j, k) {
  if (lo >= hi) return
  mid = int((lo + hi) / 2); order(lo, mid); order(mid + 1, hi)
  for (i = lo; i <= hi; i++) TMP[i] = ROW[i]
  j = mid + 1; i = lo
  for (k = lo; k <= hi; k++) ROW[k] = (j > hi || (i <= mid && KEY[TMP[i]] >= KEY[TMP[j]])) ? TMP[i++] : TMP[j++]
}
function fields(i) {
  return "\"id\":" str(ID[i]) ",\"folder\":" str(FOLDER[i]) ",\"from\":" str(FROM[i]) ",\"to\":" str(TO[i]) ",\"subject\":" str(SUBJ[i]) ",\"date\":" (DATE[i] == "" ? "null" : str(DATE[i])) ",\"unread\":" (NEW[i] ? "true" : "false")
}
function listing(verb, rows, max,   i, js, hu) {
  order(1, rows)
  for (i = 1; i <= rows && i <= max; i++) {
    js = js (i > 1 ? "," : "") "{" fields(ROW[i]) "}"
    hu = hu (i > 1 ? "\n" : "") text(ID[ROW[i]], 0) "  " (DATE[ROW[i]] == "" ? "no date" : DATE[ROW[i]]) "  " text(FROM[ROW[i]], 0) "  " text(SUBJ[ROW[i]], 0)
  }
  say(head(verb) (verb == "find" ? "" : ",\"folder\":" str(ENVIRON["MAIL_FOLDER"])) ",\"count\":" (rows < max ? rows : max) ",\"total\":" rows ",\"messages\":[" js "]" (UNREADABLE ? ",\"unreadable\":" UNREADABLE : "") (SAMPLE ? ",\"sample\":true" : "") "}", hu == "" ? "no mail" : hu)
}

# --- commands
function list(   i, n, max) {
  max = ENVIRON["MAIL_LIMIT"] == "" ? "50" : ENVIRON["MAIL_LIMIT"]
  if (max !~ /^[1-9][0-9]?[0-9]?$/ || max + 0 > 500) die("bad limit " show(max) ": a whole number from 1 to 500")
  files()
  for (i = 1; i <= N; i++) if (message(PATH[i], 0)) { keep(i); ROW[++n] = i } else UNREADABLE++
  listing("mail.list", n + 0, max + 0)
}
function find(   i, n, q, from) {
  q = tolower(ENVIRON["MAIL_Q"]); from = tolower(ENVIRON["MAIL_FROM_"]); files()
  for (i = 1; i <= N; i++) {
    if (!message(PATH[i], q != "")) { UNREADABLE++; continue }
    keep(i)
    if (from != "" && index(tolower(FROM[i]), from) == 0) continue
    if (q != "" && index(tolower(FROM[i] "\n" TO[i] "\n" SUBJ[i] "\n" BODY), q) == 0) continue
    ROW[++n] = i
  }
  listing("find", n + 0, 500)
}
function show_mail(   js) {
  files()
  if (!N) die("no message with this id; see mail list")
  if (!message(PATH[1], 1)) die("the message cannot be read")
  keep(1)
  js = "{" fields(1) ("cc" in H ? ",\"cc\":" str(words(H["cc"])) : "") ",\"body\":" str(BODY) (TRUNC ? ",\"truncated\":true" : "") "}"
  if (!JSON) { n = split(BODY, L, /\n/); for (i = 1; i <= n; i++) hu = hu "\n" text(L[i], 0) }
  say(head("mail.show") ",\"mail\":" js (SAMPLE ? ",\"sample\":true" : "") "}", "From: " text(FROM[1], 0) "\nTo: " text(TO[1], 0) "\nSubject: " text(SUBJ[1], 0) "\nDate: " DATE[1] "\n" hu)
}
function folders(   i, f, js, hu) {
  files()
  for (i = 1; i <= NFOLD; i++) {
    f = FOLD[i]
    js = js (i > 1 ? "," : "") "{\"folder\":" str(f) ",\"total\":" TOTAL[f] + 0 ",\"unread\":" UNREAD[f] + 0 "}"
    hu = hu (i > 1 ? "\n" : "") f "  " TOTAL[f] + 0 " (" UNREAD[f] + 0 " unread)"
  }
  say(head("mail.folders") ",\"folders\":[" js "]" (SAMPLE ? ",\"sample\":true" : "") "}", hu)
}
# Faults that are ours to mend: what cannot be read, what is no mail, what left without being filed.
function faults(deep,   i, why) {
  files()
  for (i = 1; i <= N; i++) if (FOLDER[i] == "sent") FILED[ID[i]]
  for (i = 1; i <= N; i++) {
    why = ""
    if (deep && !message(PATH[i], 0)) why = "cannot be read"
    else if (deep && !NHEAD) why = "is no mail: it has no header"
    else if (FOLDER[i] == "outbox" && !(ID[i] in FILED)) why = "is in the outbox, but not filed in sent (the next send files it)"
    if (why != "") { PROB[++NPROB] = i; WHY[NPROB] = why }
  }
}
function validate() {
  faults(1)
  if (NPROB) die(NPROB " of " N " messages: " show(ID[PROB[1]]) " in " FOLDER[PROB[1]] " " WHY[1])
  say(head("validate") ",\"messages\":" N + 0 ",\"folders\":" NFOLD "}", "sound: " N + 0 " messages in " NFOLD " folders")
}
function check(name, status, detail, hint) {
  CHECKS = CHECKS (CHECKS == "" ? "" : ",") "{\"name\":\"" name "\",\"status\":\"" status "\",\"detail\":" str(detail) (hint == "" ? "" : ",\"hint\":" str(hint)) "}"
  LINES = LINES (LINES == "" ? "" : "\n") name ": " status ", " detail
  if (status != "ok" && WORST != "broken") { REASON = detail; WORST = status }
}
function doctor() {
  WORST = "ok"
  if (ENVIRON["MAIL_STATE"] != "") check("mailbox", "broken", ENVIRON["MAIL_STATE"], "move it away")
  else {
    faults(0)
    if (ENVIRON["MAIL_WRITABLE"] == "") check("folder", "degraded", "the mailbox is read-only", "reads work, sending is refused")
    else check("folder", "ok", "can be written")
    if (NPROB) check("outbox", "degraded", NPROB " message(s) not filed in sent", "the next send files them")
    else check("outbox", "ok", TOTAL["outbox"] + 0 " waiting")
    check("mailbox", "ok", SAMPLE ? "no inbox yet: the samples" : TOTAL["inbox"] + 0 " in the inbox")
  }
  print JSON ? "{\"status\":\"" WORST "\",\"checks\":[" CHECKS "]}" : LINES
  if (WORST != "ok") { print "mail: " WORST ": " REASON | "cat 1>&3"; close("cat 1>&3") }
  exit WORST == "ok" ? 0 : WORST == "degraded" ? 2 : 1
}
function capabilities(   i, n, p, w, js, hu) {
  n = split("mail.list find mail.show mail.send mail.folders validate doctor capabilities", p, " ")
  for (i = 1; i <= n; i++) {
    w = p[i] == "mail.send"
    js = js (i > 1 ? "," : "") "{\"verb\":\"" p[i] "\",\"operation\":\"" (w ? "write" : "read") "\",\"confirm\":" (w ? "true" : "false") "}"
    hu = hu (i > 1 ? "\n" : "") p[i] (w ? " (write)" : " (read)")
  }
  say(head("capabilities") ",\"name\":\"mail\",\"version\":\"1.0.0\",\"commands\":[" js "]}", hu)
}

BEGIN {
  for (i = 1; i < 256; i++) ORD[sprintf("%c", i)] = i
  POW[0] = 1; POW[2] = 4; POW[4] = 16
  B64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
  split("EST -5 EDT -4 CST -6 CDT -5 MST -7 MDT -6 PST -8 PDT -7", w, " "); for (i = 1; i < 16; i += 2) ZONE[w[i]] = w[i + 1]
  JSON = ENVIRON["MAIL_JSON"] != ""; LIMIT = 262144; verb = ENVIRON["MAIL_VERB"]
  if (verb == "list") list()
  if (verb == "find") find()
  if (verb == "show") show_mail()
  if (verb == "folders") folders()
  if (verb == "validate") validate()
  if (verb == "doctor") doctor()
  if (verb == "capabilities") capabilities()
  if (verb == "send") send()
}
