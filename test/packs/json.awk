# json.awk: exit 0 when stdin is one JSON value in valid UTF-8 (RFC 8259), else a reason and exit 1. Needs LC_ALL=C.
function bad(why) { print "not JSON at byte " P ": " why; BAD = 1; exit 1 }
function peek() { return substr(S, P, 1) }
function ws() { while (P <= N && index(" \t\n\r", peek())) P++ }
function lit(w) { if (substr(S, P, length(w)) != w) bad("expected " w); P += length(w) }
function value(   c) {
  ws(); c = peek()
  if (c == "{") object()
  else if (c == "[") array()
  else if (c == "\"") string()
  else if (c == "t") lit("true")
  else if (c == "f") lit("false")
  else if (c == "n") lit("null")
  else if (match(substr(S, P, 40), /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/)) P += RLENGTH
  else bad("no value")
  ws()
}
function object(   key, seen) {
  P++; ws()
  if (peek() == "}") { P++; return }
  for (;;) {
    ws(); key = P; string(); key = substr(S, key, P - key)
    if (key in seen) bad("key twice")
    seen[key]; ws()
    if (peek() != ":") bad("expected :")
    P++; value()
    if (peek() == "}") { P++; return }
    if (peek() != ",") bad("expected , or }")
    P++
  }
}
function array() {
  P++; ws()
  if (peek() == "]") { P++; return }
  for (;;) {
    value()
    if (peek() == "]") { P++; return }
    if (peek() != ",") bad("expected , or ]")
    P++
  }
}
function string(   c, o, k) {
  if (peek() != "\"") bad("expected a string")
  for (P++; P <= N; P++) {
    c = peek(); o = ORD[c]
    if (c == "\"") { P++; return }
    if (o < 32) bad("control character in a string")
    if (c == "\\") {
      P++
      if (peek() == "u") { if (substr(S, P + 1, 4) !~ /^[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]$/) bad("bad escape"); P += 4 }
      else if (!index("\"\\/bfnrt", peek())) bad("bad escape")
    } else if (o > 127) {
      k = o < 194 ? 0 : o < 224 ? 1 : o < 240 ? 2 : o < 245 ? 3 : 0
      if (!k || !tail(o, k)) bad("no UTF-8")
      P += k
    }
  }
  bad("unfinished string")
}
function tail(o, k,   j, x) {
  for (j = 1; j <= k; j++) {
    x = ORD[substr(S, P + j, 1)]
    if (x < 128 || x > 191) return 0
    if (j == 1 && ((o == 224 && x < 160) || (o == 237 && x > 159) || (o == 240 && x < 144) || (o == 244 && x > 143))) return 0
  }
  return 1
}
BEGIN { for (i = 1; i < 256; i++) ORD[sprintf("%c", i)] = i }
{ S = S $0 "\n" }
END {
  if (BAD) exit 1
  N = length(S); P = 1; value()
  if (P <= N) bad("something behind the value")
}
