package config

import (
	"os"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// Every call loads the configuration: these say what it costs, and how much of
// that is the library's parsing.
func BenchmarkLoad(b *testing.B) {
	example, err := os.ReadFile("../../hcp.toml.example")
	if err != nil {
		b.Fatal(err)
	}
	grant := grantHead + "packs=['ledger']\nverbs=['a', 'b.*']\n"
	for _, c := range []struct{ name, text string }{
		{"example", string(example)},
		{"first", firstFile("user:anna", []string{"ledger", "mail", "transit"})},
		{"grants1000", strings.Repeat(grant, 1000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := newStore(b)
			write(b, p.ConfigFile, c.text)
			for b.Loop() {
				if _, err := Load(p, "anna"); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/parse", func(b *testing.B) {
			for b.Loop() {
				var root any
				if _, err := toml.Decode(c.text, &root); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSessionGet(b *testing.B) {
	s := Sessions{newStore(b).Sessions()}
	if err := s.Put("default", fullActivation()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Get("default", "ledger"); err != nil {
			b.Fatal(err)
		}
	}
}
