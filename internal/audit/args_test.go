package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"hcp/internal/hcp"
)

func recorded(t *testing.T, l *Log, name string, v hcp.Value) string {
	t.Helper()
	out, err := l.Args(hcp.Args{{Name: name, Value: v}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := appendValue(nil, out, 0)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Secret-looking names, values and long values are never written down.
func TestP9_SecretsAreHidden(t *testing.T) {
	l := newLog(t, 0)
	for _, name := range []string{"token", "API_KEY", "apiKey", "x-api-key", "password", "db.passwd", "Passphrase", "client-secret",
		"authToken", "auth", "credentials", "private_key", "Cookie", "session_key", "pin", "userPin", "OTP", "pwd", "aws_secret_access_key", "--token"} {
		if got := recorded(t, l, name, hcp.StringValue("hunter2")); strings.Contains(got, "hunter2") || !strings.Contains(got, `"bytes":7`) {
			t.Errorf("name %s: %s", name, got)
		}
		if got := recorded(t, l, name, hcp.IntValue(424242)); strings.Contains(got, "424242") {
			t.Errorf("name %s: %s", name, got)
		}
		if got := recorded(t, l, name, hcp.StringsValue([]string{"hunter2"})); strings.Contains(got, "hunter2") {
			t.Errorf("name %s: %s", name, got)
		}
	}
	for _, text := range []string{
		"-----BEGIN OPENSSH PRIVATE KEY-----", "ghp_0123456789abcdef", "x=ghp_0123456789abcdef", "github_pat_11AAAAAAA0", "sk-proj-0123456789abcdef",
		"AKIAIOSFODNN7EXAMPLE", "xoxb-1234-abcd", "eyJhbGciOiJIUzI1NiJ9.e30.x", "Bearer abcdef012345", "authorization: basic dXNlcjpwYXNz",
		"password=hunter2", "--token=abc", "https://h/?api_key=abc", "https://anna:geheim@example.org/x", "Cookie: a=b", `{"secret":"x"}`,
		"glpat-abcdefghijkl", "AIzaSyA0123456789abcdefghijk", strings.Repeat("a", 65),
	} {
		for _, got := range []string{recorded(t, l, "memo", hcp.StringValue(text)), recorded(t, l, "list", hcp.StringsValue([]string{text})),
			recorded(t, l, "deep", object(hcp.Member{Name: "a", Value: hcp.StringValue(text)})), recorded(t, l, text, hcp.StringValue("v"))} {
			if strings.Contains(got, text) || !strings.Contains(got, "hmac") {
				t.Errorf("%q: %s", text, got)
			}
		}
	}
	if got := recorded(t, l, "argv", hcp.StringsValue([]string{"--token", "hunter2", "x"})); strings.Contains(got, "hunter2") || !strings.Contains(got, `"x"]`) {
		t.Error(got)
	}
	if got := recorded(t, l, "o", object(hcp.Member{Name: "password", Value: hcp.StringValue("hunter2")}, hcp.Member{Name: "u", Value: hcp.StringValue("anna")})); strings.Contains(got, "hunter2") || !strings.Contains(got, "anna") {
		t.Error(got)
	}
}

// What is no secret stays readable: an audit log is for reading.
func TestP9_PlainArgsStay(t *testing.T) {
	l := newLog(t, 0)
	for name, v := range map[string]hcp.Value{
		"amount": {Kind: hcp.Number, Text: "2.80"}, "payee": hcp.StringValue("demo-transit"), "author": hcp.StringValue("anna"),
		"keyboard": hcp.StringValue("de"), "path": hcp.StringValue("workspace:a/b.txt"), "compass": hcp.StringValue("n"), "confirm": hcp.BoolValue(true),
		"password": hcp.BoolValue(true), "shipping": hcp.StringValue("x"), "url": hcp.StringValue("https://example.org/a?b=c"),
		"labels": hcp.StringsValue([]string{"a", "k=v"}), "memo": hcp.StringValue("task-risk-assessment: due"), "n": {Kind: hcp.Null}, "max": hcp.StringValue(strings.Repeat("a", 64)),
	} {
		want, _ := appendValue(nil, object(hcp.Member{Name: name, Value: v}), 0)
		if got := recorded(t, l, name, v); got != string(want) {
			t.Errorf("%s became %s", want, got)
		}
	}
	if _, err := os.Stat(l.dir); !os.IsNotExist(err) {
		t.Error("a salt was made for nothing")
	}
}

// The HMAC is keyed with the salt file, the same in every process, and a
// hundred at once agree on one salt.
func TestP9_Salt(t *testing.T) {
	l := newLog(t, 0)
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]bool{}
	for range 100 {
		wg.Go(func() {
			v, err := New(Options{Dir: l.dir}).Args(hcp.Args{{Name: "token", Value: hcp.StringValue("hunter2")}})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			seen[v.Get("token").Get("hmac").Text] = true
			mu.Unlock()
		})
	}
	wg.Wait()
	salt := read(t, filepath.Join(l.dir, saltName))
	h := hmac.New(sha256.New, salt)
	h.Write([]byte("hunter2"))
	if len(salt) != 32 || bytes.Equal(salt, make([]byte, 32)) || len(seen) != 1 || !seen[hex.EncodeToString(h.Sum(nil))] {
		t.Errorf("%d salt bytes, %v", len(salt), seen)
	}
	if info, _ := os.Stat(filepath.Join(l.dir, saltName)); info.Mode().Perm() != 0o600 {
		t.Error(info.Mode())
	}
	for _, bad := range []string{"", "short", strings.Repeat("x", 33)} {
		write(t, filepath.Join(l.dir, saltName), []byte(bad))
		if v, err := New(Options{Dir: l.dir}).Args(hcp.Args{{Name: "token", Value: hcp.StringValue("hunter2")}}); err == nil {
			t.Errorf("salt %q was used: %v", bad, v)
		}
	}
}

// Arguments of any size and number fit into a record.
func TestP9_ArgsAreBounded(t *testing.T) {
	l := newLog(t, 0)
	for _, n := range []int{hcp.MaxArgs, 5000} {
		var a hcp.Args
		for i := range n {
			a = append(a, hcp.Member{Name: strings.Repeat("\x01", 60) + strconv.Itoa(i), Value: hcp.StringValue(strings.Repeat("\x02", 64))})
		}
		v, err := l.Args(a)
		if err != nil {
			t.Fatal(err)
		}
		mustAppend(t, l, Record{Type: "exec.deny", ID: "a", Fields: []hcp.Member{{Name: "args", Value: v}}})
	}
	wantStatus(t, verify(t, l.dir, nil), Intact)
}

// Printable shows, and never changes what is clean.
func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"clean \"x\" \\": "clean \"x\" \\", "a\x1b[2K\r\n": `a\u{1b}[2K\u{d}\u{a}`, "\u202e\u0430": `\u{202e}\u{430}`, "\xff😀\x7f": `\xff\u{1f600}\u{7f}`,
	} {
		if got := Printable(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func FuzzArgsLine(f *testing.F) {
	f.Add("token", "hunter2")
	f.Add("\x1b", "\xff\u2028")
	l := New(Options{Dir: filepath.Join(f.TempDir(), "a")})
	f.Fuzz(func(t *testing.T, name, text string) {
		v, err := l.Args(hcp.Args{{Name: name, Value: hcp.StringValue(text)}})
		if err != nil {
			t.Fatal(err)
		}
		line, at, err := buildLine(mark{hash: noDigest()}, testTime, Record{Type: "grant", ID: "a", Fields: []hcp.Member{{Name: "args", Value: v}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range line[:len(line)-1] {
			if c < 0x20 || c > 0x7e {
				t.Fatalf("byte %#x in %q", c, line)
			}
		}
		if e, why := parseLine(line[:len(line)-1]); why != "" || e.mark != at {
			t.Fatalf("%s: %q", why, line)
		}
		if _, err := hcp.ParseJSON(line, maxNesting); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
	})
}
