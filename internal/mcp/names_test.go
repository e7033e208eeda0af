package mcp

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	long := strings.Repeat("a", 40)
	twin := longName(long, long+"-1")
	packs := []Pack{
		{ID: "mail", Commands: []Command{{VerbKey: "mail.list"}, {VerbKey: "mail-list"}}},
		{ID: long, Commands: []Command{{VerbKey: long + "-1"}, {VerbKey: long + "-2"}, {VerbKey: strings.TrimPrefix(shortName(twin, 8), long+"__")}}},
	}
	form := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	seen := map[string]bool{}
	for _, p := range projected(packs) {
		if !form.MatchString(p.name) || seen[p.name] {
			t.Errorf("%s %s: %s", p.pack.ID, p.command.VerbKey, p.name)
		}
		seen[p.name] = true
	}
	if !seen["mail__mail_list"] || !seen["mail__mail-list"] || len(seen) != 5 {
		t.Error(seen)
	}
	// the order of the packs changes no name
	slices.Reverse(packs)
	slices.Reverse(packs[0].Commands)
	for _, p := range projected(packs) {
		if !seen[p.name] {
			t.Errorf("another name: %s", p.name)
		}
	}
	// every one is called by its name
	f := newFake()
	f.packs = packs
	for _, p := range projected(packs) {
		talk(t, f, Options{Commands: true}, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q}}`, p.name))
		got := f.envelopes()
		if last := got[len(got)-1]; last.PackID != p.pack.ID || last.VerbKey != p.command.VerbKey {
			t.Errorf("%s calls %+v", p.name, last)
		}
	}
}
