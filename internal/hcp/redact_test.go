package hcp

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"
)

// encodings are the ways in which a child may print a secret.
func encodings(secret string) map[string]string {
	html, _ := json.Marshal(secret)
	twice, _ := json.Marshal(string(html))
	all := map[string]string{
		"raw":         secret,
		"hex":         hex.EncodeToString([]byte(secret)),
		"HEX":         strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"path":        url.PathEscape(secret),
		"query":       url.QueryEscape(secret),
		"query lower": lowerEscapes(url.QueryEscape(secret)),
		"percent all": percentAll(secret),
		"json html":   string(html[1 : len(html)-1]),
		"json":        strings.Trim(string(AppendString(nil, secret)), `"`),
		"json slash":  strings.ReplaceAll(string(html[1:len(html)-1]), "/", `\/`),
		"json all":    jsonAll(secret, "%04x"),
		"json ALL":    jsonAll(secret, "%04X"),
		"json twice":  string(twice[3 : len(twice)-3]),
	}
	for i := range 3 {
		before, after := "abc"[:i], "\n"
		plain := base64.StdEncoding.EncodeToString([]byte(before + secret + after))
		all[fmt.Sprint("base64 at ", i)] = plain
		all[fmt.Sprint("base64 whole at ", i)] = base64.StdEncoding.EncodeToString([]byte(before + secret))
		all[fmt.Sprint("base64 raw at ", i)] = base64.RawStdEncoding.EncodeToString([]byte(before + secret))
		all[fmt.Sprint("base64 url at ", i)] = base64.URLEncoding.EncodeToString([]byte(before + secret + after))
		all[fmt.Sprint("base64 rawurl at ", i)] = base64.RawURLEncoding.EncodeToString([]byte(before + secret))
		all[fmt.Sprint("base64 in a query at ", i)] = url.QueryEscape(plain)
		all[fmt.Sprint("base64 in JSON at ", i)] = strings.ReplaceAll(plain, "/", `\/`)
		for _, width := range []int{7, 9, 11, 16, 19, 64, 76} {
			all[fmt.Sprint("base64 in lines of ", width, " at ", i)] = wrapped(plain, width, "\n")
			all[fmt.Sprint("base64 in CRLF lines of ", width, " at ", i)] = wrapped(plain, width, "\r\n")
			all[fmt.Sprint("base64 in JSON lines of ", width, " at ", i)] = wrapped(plain, width, `\n`)
		}
	}
	return all
}

func lowerEscapes(s string) string {
	b := []byte(s)
	for i := range b {
		if b[i] == '%' {
			copy(b[i:], strings.ToLower(string(b[i:i+3])))
		}
	}
	return string(b)
}

func percentAll(s string) (out string) {
	for i := range len(s) {
		out += fmt.Sprintf("%%%02X", s[i])
	}
	return out
}

func jsonAll(s, verb string) (out string) {
	for _, r := range s {
		if r > 0xffff {
			r -= 0x10000
			out += fmt.Sprintf(`\u`+verb+`\u`+verb, 0xd800+r>>10, 0xdc00+r&0x3ff)
		} else {
			out += fmt.Sprintf(`\u`+verb, r)
		}
	}
	return out
}

func wrapped(s string, width int, end string) string {
	var b strings.Builder
	for len(s) > width {
		b.WriteString(s[:width] + end)
		s = s[width:]
	}
	return b.String() + s
}

var testSecrets = []string{
	"ghp_0123456789abcdefABCDEF", "p@ss/w&rd<>\"\\ +é€😀x", `\start and end\`, "12345678", `"quoted"value`,
	"%percent%41", "multi\nline\nsecret value", "aaaaaaaaaaaa", "nnewline", strings.Repeat("longer-than-a-line/", 12),
}

// P-7: a secret in each encoding, split at every byte offset, is masked, and
// what stands around it is left as it was.
func TestRedactEverySplit(t *testing.T) {
	t.Parallel()
	for _, secret := range testSecrets {
		r := NewRedactor(NewSecret(secret))
		for name, text := range encodings(secret) {
			const before, after = "before: ", "; after\n"
			whole := before + text + after
			want := r.String(whole)
			if !strings.Contains(want, Mask) || !strings.HasPrefix(want, before) || !strings.HasSuffix(want, after) {
				t.Errorf("%q, %s: %q became %q", secret, name, whole, want)
				continue
			}
			// A few characters at the ends of base64 hold other bytes' bits too.
			rest := strings.Replace(strings.TrimSuffix(strings.TrimPrefix(want, before), after), Mask, "", 1)
			if len(strings.ReplaceAll(rest, "%3D", "=")) > 9 {
				t.Errorf("%q, %s: %q leaves %q", secret, name, whole, rest)
			}
			step := 1 + len(text)/150 // of a long text, some offsets
			if strings.Contains(name, "lines") {
				step += len(text) / 12
			}
			for at := 0; at <= len(whole); at += step {
				got := redacted(t, r, whole[:at], whole[at:])
				if got != want && !looseStart(got, want) {
					t.Errorf("%q, %s, split at %d: %q, not %q", secret, name, at, got, want)
				}
			}
			if got := redacted(t, r, strings.Split(whole, "")...); got != want && !looseStart(got, want) {
				t.Errorf("%q, %s, byte by byte: %q, not %q", secret, name, got, want)
			}
		}
	}
}

// looseStart allows what liveness costs: a lone percent sign, or fewer than four
// characters of base64 before a line break, may have gone out already.
func looseStart(got, want string) bool {
	head, tail, _ := strings.Cut(want, Mask)
	rest, ok := strings.CutPrefix(got, head)
	rest, ok2 := strings.CutSuffix(rest, Mask+tail)
	return ok && ok2 && len(strings.Trim(strings.TrimSuffix(strings.TrimSuffix(rest, "\n"), "\r"), "%")) < settled
}

func redacted(t *testing.T, r *Redactor, parts ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := r.Writer(&out)
	for _, p := range parts {
		if n, err := io.WriteString(w, p); n != len(p) || err != nil {
			t.Fatalf("write: %d, %v", n, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// P-7: what cannot begin a secret goes out at once.
func TestRedactLive(t *testing.T) {
	r := NewRedactor(NewSecret("ghp_0123456789abcdef"), NewSecret("hunter2hunter2"))
	for _, text := range []string{"\r 10%", "\r 20% [==>  ]", "line\n", "Step 6\n", "done", "Z\n", "aG\r\n", "50%\n", "\x1b[2K\r|", "h=1 ", "$ "} {
		var out bytes.Buffer
		w := r.Writer(&out)
		_, _ = io.WriteString(w, text)
		if out.String() != text {
			t.Errorf("of %q only %q came out", text, out.String())
		}
	}
	var out bytes.Buffer
	w := r.Writer(&out)
	for _, step := range []struct{ in, out string }{
		{"token: gh", "token: "}, {"p_012345", ""}, {"x\n", "ghp_012345x\n"}, {"hunter2hunter2", Mask}, {"!", "!"},
		{"hunter2hunter", ""}, {"2", Mask}, {"hunter2", ""}, {".", "."}, // one that begins inside of another is the same mask
	} {
		out.Reset()
		_, _ = io.WriteString(w, step.in)
		if out.String() != step.out {
			t.Errorf("after %q came %q, not %q", step.in, out.String(), step.out)
		}
	}
	out.Reset()
	_, _ = io.WriteString(w, "; ghp_0123")
	if _ = w.Flush(); out.String() != "; ghp_0123" {
		t.Errorf("the end gave %q", out.String())
	}
}

// P-7: secrets that overlap or hold one another are masked as a whole.
func TestRedactOverlap(t *testing.T) {
	r := NewRedactor(NewSecret("Xhunter22hunterY"), NewSecret("hunter22"), NewSecret("22hunterZ"), NewSecret("short"), Secret{})
	for in, want := range map[string]string{
		"a Xhunter22hunterY b":        "a [redacted] b",
		"a Xhunter22hunterZ b":        "a X[redacted] b",
		"a Xhunter22hunter b":         "a X[redacted]hunter b",
		"hunter22hunter22":            "[redacted][redacted]",
		"hunter22hunterZ":             "[redacted]",
		"short stays":                 "short stays",
		"":                            "",
		"Xhunter22hunte":              "X[redacted]hunte",
		"hunter22Xhunter22hunterYend": "[redacted][redacted]end",
	} {
		if got := r.String(in); got != want {
			t.Errorf("%q became %q, not %q", in, got, want)
		}
		if got := redacted(t, r, strings.Split(in, "")...); got != want {
			t.Errorf("%q byte by byte became %q, not %q", in, got, want)
		}
	}
}

// P-7: a mask never breaks the JSON string that it stands in, wherever the text
// is split.
func TestRedactKeepsJSON(t *testing.T) {
	t.Parallel()
	for _, secret := range testSecrets {
		r := NewRedactor(NewSecret(secret))
		for _, around := range []string{"%s", "a%sb", "\\%s\\", "\"%s\"", "\n%s\n", "\\n%s\\n", "é%s\u2028", "%[1]s%[1]s", `\u00%s`} {
			value := fmt.Sprintf(around, secret)
			html, _ := json.Marshal(map[string]string{"k": value, "l": "x"})
			for _, text := range []string{string(html), string(AppendString(nil, value)), `"` + jsonAll(value, "%04x") + `"`, strings.ReplaceAll(string(html), "/", `\/`)} {
				for at := 0; at < len(text); at += 1 + len(text)/40 {
					got := redacted(t, r, text[:at], text[at:])
					if !json.Valid([]byte(got)) || !strings.Contains(got, Mask) {
						t.Fatalf("%q split at %d became %s", text, at, got)
					}
				}
			}
		}
	}
}

// P-7: random texts: the result does not depend on how the text was split, what
// holds no secret is untouched, and valid JSON stays valid.
func TestRedactRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{`\`, `\\`, `\"`, `"`, "%", "%4", "%41", "+", "n", `\n`, "\n", `\u00`, `\u0041`, `\ud83d`, `\ude00`, "u", "abc", "abcabcab", "n\\abcabc", "YWJj", "616263"}
	secrets := []Secret{NewSecret("abcabcabc"), NewSecret(`n\abcabcn`), NewSecret(`abc"%41\`)}
	r := NewRedactor(secrets...)
	for range 8000 {
		var parts []string
		for range rng.IntN(14) {
			if rng.IntN(12) == 0 {
				parts = append(parts, secrets[rng.IntN(3)].Reveal())
			} else {
				parts = append(parts, pieces[rng.IntN(len(pieces))])
			}
		}
		text := strings.Join(parts, "")
		want := r.String(text)
		if strings.Contains(text, "%") || strings.Contains(text, "\n") {
			continue // there, liveness decides what is out already
		}
		if got := redacted(t, r, parts...); got != want {
			t.Fatalf("%q became %q in pieces, %q at once", parts, got, want)
		}
		for _, s := range secrets {
			if strings.Contains(want, s.Reveal()) {
				t.Fatalf("%q shows in %q", text, want)
			}
		}
		if json.Valid([]byte(`"`+text+`"`)) && !json.Valid([]byte(r.String(`"`+text+`"`))) {
			t.Fatalf("%q broke: %q", text, r.String(`"`+text+`"`))
		}
	}
}

// P-7: the time is linear in the text, also for a secret that repeats itself and
// a text made against it.
func TestRedactLinear(t *testing.T) {
	r := NewRedactor(NewSecret(strings.Repeat("a", 4096)+"b"), NewSecret(strings.Repeat("ab", 3000)))
	text := []byte(strings.Repeat(strings.Repeat("a", 4095)+"c"+strings.Repeat("%61", 500)+strings.Repeat(`\u0061`, 300), 100))
	var out bytes.Buffer
	w := r.Writer(&out)
	start := time.Now()
	for len(text) > 0 {
		n := min(len(text), 1000)
		_, _ = w.Write(text[:n])
		text = text[n:]
	}
	if err := w.Close(); err != nil || out.Len() == 0 {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 40*time.Second { // a second or so; each byte would cost a secret's length otherwise
		t.Errorf("0.7 MB took %v", took)
	}
}

func TestRedactNil(t *testing.T) {
	var r *Redactor
	if NewRedactor() != nil || NewRedactor(Secret{}, NewSecret("1234567")) != nil {
		t.Error("there is nothing to redact")
	}
	b := []byte("abc")
	if r.String("x") != "x" || &r.Bytes(b)[0] != &b[0] || redacted(t, r, "a", "b") != "ab" || r.Value(StringValue("v")).Text != "v" {
		t.Error("a nil Redactor changes something")
	}
}

func TestRedactValue(t *testing.T) {
	r := NewRedactor(NewSecret("12345678"))
	v, err := ParseJSON([]byte(`{"n":12345678,"m":1.50,"s":["x12345678","ok"],"12345678":null}`), 8)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(r.Value(v).AppendJSON(nil)); got != `{"n":"[redacted]","m":1.50,"s":["x[redacted]","ok"],"[redacted]":null}` {
		t.Error(got)
	}
	if got := string(r.Bytes([]byte("x 12345678"))); got != "x [redacted]" {
		t.Error(got)
	}
}

type failing struct{ n int }

func (f failing) Write(p []byte) (int, error) { return min(f.n, len(p)), errors.New("broken") }

type short struct{}

func (short) Write(p []byte) (int, error) { return len(p) / 2, nil }

// An error of the writer behind is told, and nothing is written after it.
func TestRedactWriteError(t *testing.T) {
	r := NewRedactor(NewSecret("12345678"))
	w := r.Writer(failing{})
	if _, err := io.WriteString(w, "text"); err == nil || w.Close() == nil {
		t.Error("the error got lost")
	}
	if _, err := io.WriteString(r.Writer(short{}), "text"); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("short write: %v", err)
	}
	ok := r.Writer(io.Discard)
	if first, second := ok.Close(), ok.Close(); first != nil || second != nil {
		t.Error("close fails")
	}
	if _, err := io.WriteString(ok, "x"); err == nil {
		t.Error("written after close")
	}
}

func BenchmarkRedact(b *testing.B) {
	r := NewRedactor(NewSecret("ghp_0123456789abcdefghij0123456789abcdef"))
	text := []byte(strings.Repeat("The quick brown fox jumps over {\"the\": \"lazy\\n dog\", \"n\": 12345} 50% \n", 1000))
	b.SetBytes(int64(len(text)))
	w := r.Writer(io.Discard)
	for b.Loop() {
		_, _ = w.Write(text)
	}
}

func BenchmarkNewRedactor(b *testing.B) {
	s := NewSecret("ghp_0123456789abcdefghij0123456789abcdef")
	for b.Loop() {
		NewRedactor(s).Writer(io.Discard)
	}
}
