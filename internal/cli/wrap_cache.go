package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"hcp/internal/hcp"
	"hcp/internal/scaffold"
)

// Limits of what wrap keeps. Help is small: gh's 170 pages are 300 KB.
const (
	maxWrapFile   = 8 << 20
	maxWrapKept   = 4 << 20 // answers of one bin, bytes
	maxWrapFiles  = 64
	wrapFor       = 7 * 24 * time.Hour
	wrapScriptFor = 15 * time.Minute // a script's other parts may change without it
	wrapFailedFor = 15 * time.Minute // what took too long may have had a bad day
	wrapTemp      = ".tmp-"
)

// wrapCache keeps what a bin answered, in one file a bin: by the file's digest
// and the argv. What cannot be read or written is as if it had not been kept.
type wrapCache struct {
	path string
	now  time.Time
	mu   sync.Mutex
	kept wrapKept
	new  bool // there is something to write
}

type wrapKept struct {
	Version   int           `json:"v"`
	Bin       hcp.BinRecord `json:"bin"`
	SHA256    string        `json:"sha256"`
	Framework string        `json:"framework"`
	Since     time.Time     `json:"since"` // of the oldest answer
	Answers   []wrapAnswer  `json:"answers"`
}

type wrapAnswer struct {
	Argv   []string `json:"argv"`
	Exit   int      `json:"exit"`
	Stdout []byte   `json:"stdout"`
	Stderr []byte   `json:"stderr"`
	Failed string   `json:"failed,omitempty"`
}

const wrapVersion = 1

// openWrapCache reads what is kept of a bin. dir is made when something is.
func openWrapCache(dir string, rec hcp.BinRecord, now time.Time) *wrapCache {
	name := sha256.Sum256([]byte(rec.Found + "\x00" + rec.Path))
	c := &wrapCache{path: filepath.Join(dir, hex.EncodeToString(name[:16])+".json"), now: now}
	data, err := hcp.ReadTrusted(c.path, maxWrapFile)
	if err != nil || json.Unmarshal(data, &c.kept) != nil || c.kept.Version != wrapVersion {
		c.kept = wrapKept{}
	}
	age, most := now.Sub(c.kept.Since), wrapFor
	if len(rec.Interp) > 0 {
		most = wrapScriptFor
	}
	same := reflect.DeepEqual(c.kept.Bin, rec)
	if age < 0 || age > most || !same && len(rec.Interp) > 0 {
		c.kept.Answers = nil
	}
	if age > wrapFailedFor {
		c.kept.Answers = slices.DeleteFunc(c.kept.Answers, func(a wrapAnswer) bool { return a.Failed != "" })
	}
	if !same {
		c.kept.Framework = ""
	}
	return c
}

// memo is what is known of the very file.
func (c *wrapCache) memo(rec hcp.BinRecord) scaffold.Memo {
	if !reflect.DeepEqual(c.kept.Bin, rec) {
		return scaffold.Memo{}
	}
	return scaffold.Memo{Sum: c.kept.SHA256, Framework: c.kept.Framework}
}

// is says which file the answers are of; those of another are dropped.
func (c *wrapCache) is(rec hcp.BinRecord, id scaffold.Identity) {
	if c.kept.SHA256 != id.SHA256 || c.kept.Answers == nil {
		c.kept.Answers, c.kept.Since = nil, c.now
	}
	if c.kept.SHA256 != id.SHA256 || !reflect.DeepEqual(c.kept.Bin, rec) {
		c.new = true
	}
	c.kept.Version, c.kept.Bin, c.kept.SHA256, c.kept.Framework = wrapVersion, rec, id.SHA256, id.Framework
}

// forget drops the answers: they are to be asked for anew.
func (c *wrapCache) forget() { c.kept.Answers = nil }

func (c *wrapCache) get(argv []string) (scaffold.Answer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.kept.Answers {
		if slices.Equal(a.Argv, argv) {
			return scaffold.Answer{Stdout: a.Stdout, Stderr: a.Stderr, Exit: a.Exit, Failed: a.Failed, Cached: true}, true
		}
	}
	return scaffold.Answer{}, false
}

func (c *wrapCache) put(argv []string, a scaffold.Answer) {
	if a.Failed != "" && a.Failed != failedTimeout && !strings.HasPrefix(a.Failed, failedOutput) {
		return // that was not the bin's doing
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Answers = append(c.kept.Answers, wrapAnswer{slices.Clone(argv), a.Exit, a.Stdout, a.Stderr, a.Failed})
	c.new = true
}

// save writes what is new. It is a speed-up only: a full disk or a folder that
// cannot be written is nobody's loss.
func (c *wrapCache) save() {
	if !c.new {
		return
	}
	size := 0
	c.kept.Answers = slices.DeleteFunc(c.kept.Answers, func(a wrapAnswer) bool {
		size += len(a.Stdout) + len(a.Stderr)
		return size > maxWrapKept
	})
	dir := filepath.Dir(c.path)
	data, err := json.Marshal(&c.kept)
	if err != nil || os.MkdirAll(dir, 0o700) != nil || hcp.CheckTrustedDir(dir) != nil {
		return
	}
	f, err := os.CreateTemp(dir, wrapTemp)
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), c.path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	prune(dir, c.now)
}

// prune keeps the folder within its bounds: the bins that were read longest ago
// go first, and what a killed writer left.
func prune(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil || !info.Mode().IsRegular():
		case !strings.HasPrefix(e.Name(), wrapTemp):
			files = append(files, info)
		case now.Sub(info.ModTime()) > time.Hour:
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range files[:max(0, len(files)-maxWrapFiles)] {
		os.Remove(filepath.Join(dir, info.Name()))
	}
}
