package binding

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"hcp/internal/hcp"
)

const (
	maxCacheFile = 8 * maxCredential // JSON may write one byte as six
	cacheVersion = "1"
	lockPause    = 16 * time.Millisecond // the longest between two tries
)

// cache keeps one expiring credential in memory-backed storage (trust.md), and
// lets one process at a time ask for a new one. What is damaged counts as not
// there. Whoever has the caller's uid can read it.
type cache struct {
	path string // of the credential; the lock is beside it
}

// openCache gives nil when nothing can be cached: no folder, or one that does
// not live in memory or is not the caller's alone.
func openCache(dir, key string) *cache {
	if !cacheFolder(dir) {
		return nil
	}
	return &cache{filepath.Join(dir, key)}
}

// cacheFolder makes the folder, in one that exists, if need be.
func cacheFolder(dir string) bool {
	if !filepath.IsAbs(dir) || !privateFolder(filepath.Dir(dir), 0o022) {
		return false
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return false
	}
	return privateFolder(dir, 0o077)
}

// privateFolder: a real folder of the caller's, in memory, with none of the
// forbidden bits.
func privateFolder(dir string, forbidden os.FileMode) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&forbidden != 0 {
		return false
	}
	uid, ok := owner(info)
	return ok && uid == os.Geteuid() && memoryBacked(dir)
}

// cacheKey names the credential: by its entry, so that `hcp binding status` can
// find it, and by everything that a helper may make it depend on. pass_env
// counts with the values; they go no further than into the hash.
func cacheKey(e Entry, r Request, env []string) string {
	all := append([]string{r.Principal.ID, r.Principal.Tenant, r.Operation}, env...)
	return entryKey(e) + "-" + digest(all)
}

func entryKey(e Entry) string {
	return digest(append([]string{e.Pack, e.Family, e.Principal, e.Provider, "\x00"}, e.Command...))
}

func digest(list []string) string {
	sum := sha256.Sum256(hcp.StringsValue(list).AppendJSON(nil))
	return hex.EncodeToString(sum[:16])
}

// refresh gives the cached credential if it is good, else a new one. One process
// asks; the others wait for it, no longer than for a helper, and look again. A
// helper whose credentials do not expire is asked by all at once.
func (c *cache) refresh(ctx context.Context, wait time.Duration, good func(credential) bool, ask func() (credential, string)) (credential, string) {
	got, ok := c.read()
	if ok && !got.expires.IsZero() && good(got) {
		return got, ""
	}
	if ok && got.expires.IsZero() {
		return c.askUnlocked(ctx, ask)
	}
	lock, err := c.lock(ctx, wait)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return credential{}, reasonTimeout
	case errors.Is(err, context.Canceled):
		return credential{}, reasonKilled
	case err != nil:
		return ask()
	}
	defer lock.Close()
	got, ok = c.read()
	if ok && !got.expires.IsZero() && good(got) {
		return got, ""
	}
	if ok && got.expires.IsZero() {
		lock.Close() // the others need not wait for us either
		return c.askUnlocked(ctx, ask)
	}
	_ = os.Remove(c.path) // no use any more, whatever comes
	got, reason := ask()
	if reason == "" {
		c.write(got)
	}
	return got, reason
}

// askUnlocked is for helpers that were seen to give credentials without an
// expiry; one that has changed its ways is noticed.
func (c *cache) askUnlocked(ctx context.Context, ask func() (credential, string)) (credential, string) {
	got, reason := ask()
	if reason == "" && !got.expires.IsZero() {
		if lock, err := c.lock(ctx, 0); err == nil {
			defer lock.Close()
			c.write(got)
		}
	}
	return got, reason
}

// lock waits for its turn. The lock is the kernel's and dies with its process.
func (c *cache) lock(ctx context.Context, wait time.Duration) (*os.File, error) {
	f, err := os.OpenFile(c.path+".lock", os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(ctx, f, wait); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func flock(ctx context.Context, f *os.File, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for pause := time.Millisecond; ; pause = min(2*pause, lockPause) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// read gives what is cached. No expiry: the helper's credentials have none, and
// nothing is kept of them.
func (c *cache) read() (credential, bool) { return readCached(c.path) }

func readCached(path string) (credential, bool) {
	f, reason := openCredential(path)
	if reason != "" {
		return credential{}, false
	}
	defer f.Close()
	data, ok := readAll(f, maxCacheFile)
	if !ok {
		return credential{}, false
	}
	v, err := hcp.ParseJSON(data, maxDepth)
	if err != nil || !isText(v.Get("v"), cacheVersion) {
		return credential{}, false
	}
	fields, ok := fieldsOf(v.Get("fields"))
	expires, known := expiry(v.Get("expires"))
	if !ok || !known || expires.IsZero() && len(fields) > 0 {
		return credential{}, false
	}
	return credential{fields, expires}, true
}

// write keeps a credential, whole or not at all. The lock must be held, so the
// name of the file in between can be the same each time. Nothing that goes wrong
// here is the caller's loss.
func (c *cache) write(got credential) {
	if got.expires.IsZero() {
		got.fields = nil
	}
	members := []hcp.Member{{Name: "v", Value: hcp.StringValue(cacheVersion)}}
	if !got.expires.IsZero() {
		members = append(members, hcp.Member{Name: "expires", Value: hcp.StringValue(got.expires.Format(time.RFC3339Nano))})
	}
	members = append(members, hcp.Member{Name: "fields", Value: objectOf(got.fields)})
	_ = replace(c.path, hcp.Value{Kind: hcp.Object, Members: members}.AppendJSON(nil))
}

// cachedUntil is the latest end of what is cached for an entry, whoever called
// and for which operation; zero for none.
func cachedUntil(dir string, e Entry, now time.Time) (latest time.Time) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return time.Time{}
	}
	for _, f := range list {
		if !strings.HasPrefix(f.Name(), entryKey(e)+"-") || strings.Contains(f.Name(), ".") {
			continue
		}
		if got, ok := readCached(filepath.Join(dir, f.Name())); ok && got.expires.After(now) && got.expires.After(latest) {
			latest = got.expires
		}
	}
	return latest
}
