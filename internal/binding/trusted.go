package binding

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"hcp/internal/hcp"
)

// trustedHelper gives the path of a helper that may run: an absolute path to an
// executable file that only its owner, the caller or root, can change, in
// folders of which the same is true. So nobody can put another in its place
// between this look and the start.
func trustedHelper(command []string) (path, reason string) {
	if len(command) == 0 || !filepath.IsAbs(command[0]) {
		return "", reasonMissing
	}
	path = filepath.Clean(command[0])
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", missingOr(err, reasonMissing)
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return "", missingOr(err, reasonMissing)
	case !info.Mode().IsRegular() || !ours(info) || info.Mode().Perm()&0o022 != 0:
		return "", reasonUntrusted
	case info.Mode().Perm()&0o111 == 0:
		return "", reasonMissing
	case !trustedFolders(real) || path != real && !trustedFolders(path):
		return "", reasonUntrusted
	}
	return path, ""
}

func missingOr(err error, missing string) string {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return missing
	}
	return reasonUntrusted
}

// ours tells whether a file is the caller's or root's.
func ours(info fs.FileInfo) bool {
	uid, ok := owner(info)
	return ok && (uid == 0 || uid == os.Geteuid())
}

func owner(info fs.FileInfo) (int, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

// trustedFolders looks at every folder above path. One like /tmp, where nobody
// can rename what is another's, may stand further up, but not hold the file.
func trustedFolders(path string) bool {
	for dir, first := filepath.Dir(path), true; ; dir, first = filepath.Dir(dir), false {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() || !ours(info) {
			return false
		}
		if info.Mode().Perm()&0o022 != 0 && (first || info.Mode()&fs.ModeSticky == 0) {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

// openCredential opens a file that holds a secret: besides being trusted, it is
// nobody's to read but the owner's. One that is not there was not set yet.
func openCredential(path string) (*os.File, string) {
	if !filepath.IsAbs(path) {
		return nil, reasonNone
	}
	f, err := hcp.OpenTrusted(path, os.O_RDONLY)
	if err != nil {
		return nil, missingOr(err, reasonNone)
	}
	info, err := f.Stat()
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		f.Close()
		return nil, reasonUntrusted
	}
	return f, ""
}

// readFile is the provider file: a JSON object of fields.
func readFile(path string) (credential, string) {
	f, reason := openCredential(path)
	if reason != "" {
		return credential{}, reason
	}
	defer f.Close()
	data, ok := readAll(f, maxCredential)
	if !ok {
		return credential{}, reasonResponse
	}
	v, err := hcp.ParseJSON(data, maxDepth)
	if err != nil {
		return credential{}, reasonResponse
	}
	fields, ok := fieldsOf(v)
	if !ok {
		return credential{}, reasonResponse
	}
	return credential{fields: fields}, ""
}

// readAll reads at most limit bytes; ok is false when there are more.
func readAll(r io.Reader, limit int64) (data []byte, ok bool) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	return data, err == nil && int64(len(data)) <= limit
}
