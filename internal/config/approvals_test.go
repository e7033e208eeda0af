package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func waiting(what string) Pending {
	sum := sha256.Sum256([]byte(what))
	return Pending{ID: ApprovalID(sum), Bound: hex.EncodeToString(sum[:]), Principal: "agent:x", PackID: "p", VerbKey: "go", Preview: []string{"a\u202eb"}}
}

func newApprovals(t *testing.T) Approvals {
	t.Helper()
	return Approvals{Dir: filepath.Join(t.TempDir(), "approvals")}
}

// trust.md: bound, single use, five minutes; a repeat gives the same id.
func TestApprovalLife(t *testing.T) {
	a, now := newApprovals(t), time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	p, err := a.Ask(waiting("call"), now)
	if err != nil || !p.Expires.Equal(now.Add(5*time.Minute)) {
		t.Fatal(p, err)
	}
	if again, err := a.Ask(waiting("call"), now.Add(time.Minute)); err != nil || again.ID != p.ID || !again.Expires.Equal(p.Expires) {
		t.Error("a repeat is another approval", again, err)
	}
	if ok, _ := a.Take(p.ID, p.Bound, now); ok {
		t.Error("taken before anybody agreed")
	}
	if _, err := a.Agree(p.ID, now.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if ok, _ := a.Take(p.ID, waiting("other").Bound, now.Add(time.Minute)); ok {
		t.Error("taken for another call")
	}
	if ok, _ := a.Take(p.ID, p.Bound, now.Add(7*time.Minute)); ok {
		t.Error("taken after it expired")
	}
	var taken atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if ok, err := a.Take(p.ID, p.Bound, now.Add(2*time.Minute)); err == nil && ok {
				taken.Add(1)
			}
		})
	}
	wg.Wait()
	if taken.Load() != 1 {
		t.Errorf("taken %d times", taken.Load())
	}
}

func TestApprovalRefusals(t *testing.T) {
	a, now := newApprovals(t), time.Now()
	for _, id := range []string{"", "../../../x", "0123456789ab", "ZZZZZZZZZZ", "0123456789"} {
		if _, err := a.Agree(id, now); !errors.Is(err, ErrNoApproval) {
			t.Errorf("agree %q: %v", id, err)
		}
		if ok, err := a.Take(id, waiting("x").Bound, now); ok || err != nil {
			t.Errorf("take %q: %v %v", id, ok, err)
		}
	}
	p, err := a.Ask(waiting("late"), now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Agree(p.ID, now.Add(6*time.Minute)); !errors.Is(err, ErrNoApproval) {
		t.Errorf("agreed after it expired: %v", err)
	}
	if list, _ := a.Waiting(now.Add(6 * time.Minute)); len(list) != 0 {
		t.Errorf("expired ones wait: %v", list)
	}
	if p, err = a.Drop(p.ID, now); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Agree(p.ID, now); !errors.Is(err, ErrNoApproval) {
		t.Errorf("agreed to what was dropped: %v", err)
	}
	// a damaged or foreign agreement agrees to nothing
	for _, text := range []string{"", "{", `{"id":"` + p.ID + `"}`, `{"id":"other"}`} {
		if err := os.WriteFile(a.path(p.ID, agreedEnd), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if ok, _ := a.Take(p.ID, p.Bound, now); ok {
			t.Errorf("%q agrees", text)
		}
	}
	good := p
	good.Expires = now.Add(time.Minute)
	if err := os.WriteFile(a.path(p.ID, agreedEnd), encodePending(good), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(a.path(p.ID, agreedEnd), 0o666); err != nil {
		t.Fatal(err)
	}
	if ok, err := a.Take(p.ID, p.Bound, now); ok || err == nil {
		t.Error("a file that others may write agrees")
	}
}
