package audit

import (
	"slices"
	"strings"
)

// What names say "secret" wherever they contain it (lower case, separators
// taken out), and what words do so only alone: "author" is no "auth".
const (
	secretParts = "token secret password passwd passphrase passwort passcode kennwort apikey credential privatekey " +
		"cookie sessionkey accesskey signingkey encryptionkey masterkey bearer authorization kubeconfig dockercfg"
	secretWords = "auth pass pwd pin otp totp jwt sid cvv cvc psk pat pw creds seed mnemonic"
)

// secretName tells whether a value of this name is a secret by the sound of it.
// A false alarm costs a readable audit record, a miss costs the secret.
func secretName(name string) bool {
	joined := strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_. /", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
	for part := range strings.SplitSeq(secretParts, " ") {
		if strings.Contains(joined, part) {
			return true
		}
	}
	words := strings.Fields(secretWords)
	for _, w := range nameWords(name) {
		if slices.Contains(words, strings.ToLower(w)) {
			return true
		}
	}
	return false
}

// nameWords splits at separators and where camelCase begins a word.
func nameWords(name string) []string {
	var words []string
	start := 0
	cut := func(end int) {
		if end > start {
			words = append(words, name[start:end])
		}
	}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case !alnum(c):
			cut(i)
			start = i + 1
		case upper(c) && i > 0 && !upper(name[i-1]):
			cut(i)
			start = i
		}
	}
	cut(len(name))
	return words
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }

func alnum(c byte) bool {
	return upper(c) || c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
}

// secretStarts begin a token of a known maker; each must begin a word and be
// followed by at least the number of token characters.
var secretStarts = [...]struct {
	text string
	more int
}{
	{"ghp_", 8}, {"gho_", 8}, {"ghu_", 8}, {"ghs_", 8}, {"ghr_", 8}, {"github_pat_", 8}, {"glpat-", 8}, {"gldt-", 8},
	{"sk-", 12}, {"sk_live_", 8}, {"sk_test_", 8}, {"rk_live_", 8}, {"whsec_", 8}, {"xoxa-", 4}, {"xoxb-", 4}, {"xoxp-", 4},
	{"xoxr-", 4}, {"xoxs-", 4}, {"xoxe-", 4}, {"xoxc-", 4}, {"xoxd-", 4}, {"xapp-", 4}, {"AKIA", 12}, {"ASIA", 12}, {"AIza", 20}, {"ya29.", 8},
	{"eyJ", 12}, {"npm_", 16}, {"pypi-", 16}, {"hf_", 16}, {"dop_v1_", 16}, {"SG.", 16}, {"AGE-SECRET-KEY-", 8},
	{"shpat_", 8}, {"hvs.", 8}, {"dckr_pat_", 8}, {"lin_api_", 8}, {"tskey-", 8}, {"gsk_", 16}, {"pplx-", 16},
}

// secretText tells whether a value is, or carries, a secret by its looks.
func secretText(s string) bool {
	if strings.Contains(s, "-----BEGIN ") || strings.Contains(s, "PRIVATE KEY") {
		return true
	}
	if hasFold(s, "bearer ") || hasFold(s, "basic ") || userInfo(s) {
		return true
	}
	for i := 0; i < len(s); i++ {
		if i > 0 && alnum(s[i-1]) {
			continue
		}
		for _, start := range secretStarts {
			if rest, ok := strings.CutPrefix(s[i:], start.text); ok && tokenLen(rest) >= start.more {
				return true
			}
		}
	}
	return assigned(s)
}

// tokenLen counts the characters at s's start that tokens are made of.
func tokenLen(s string) int {
	n := 0
	for n < len(s) && (alnum(s[n]) || strings.IndexByte("-_.+/=", s[n]) >= 0) {
		n++
	}
	return n
}

// hasFold tells whether word stands in s, in any case, with something behind it.
func hasFold(s, word string) bool {
	_, rest, ok := strings.Cut(strings.ToLower(s), word)
	return ok && tokenLen(rest) >= 8
}

// userInfo finds a password in a URL: scheme://user:password@host.
func userInfo(s string) bool {
	for {
		_, rest, ok := strings.Cut(s, "://")
		if !ok {
			return false
		}
		host, _, _ := strings.Cut(rest, "/")
		if at := strings.LastIndexByte(host, '@'); at > 0 && strings.IndexByte(host[:at], ':') >= 0 {
			return true
		}
		s = rest
	}
}

// assigned finds a secret-looking name with a value inside a text:
// "password=x", "--token=x", "?api_key=x", "Cookie: x".
func assigned(s string) bool {
	for i := 1; i+1 < len(s); i++ {
		if s[i] != '=' && s[i] != ':' || strings.TrimSpace(s[i+1:]) == "" {
			continue
		}
		start := i
		for start > 0 && (alnum(s[start-1]) || strings.IndexByte("-_.\"'", s[start-1]) >= 0) {
			start--
		}
		if secretName(s[start:i]) {
			return true
		}
	}
	return false
}
