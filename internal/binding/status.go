package binding

import "time"

// Status is one entry as `hcp binding status` shows it.
type Status struct {
	PackID    string
	Family    string
	Principal string // whom the entry is for; "": everybody
	Provider  string
	OK        bool   // the provider can be asked, as far as looking tells
	Expires   string // RFC 3339, of the latest credential in the cache; "": none is cached
	Detail    string // the reason when not OK; "" otherwise
}

// Status tells of every entry, in the configuration's order, what looking at
// files tells. It mints nothing.
func (h Hub) Status() []Status {
	list := make([]Status, 0, len(h.Entries))
	for _, e := range h.Entries {
		s := Status{PackID: e.Pack, Family: e.Family, Principal: e.Principal, Provider: e.Provider, Detail: e.probe()}
		s.OK = s.Detail == ""
		if e.expiring() && h.CacheDir != "" {
			if until := cachedUntil(h.CacheDir, e, h.now()); !until.IsZero() {
				s.Expires = until.UTC().Format(time.RFC3339)
			}
		}
		list = append(list, s)
	}
	return list
}
