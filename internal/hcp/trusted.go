package hcp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// TrustError says why a file may not be read as ours. Its text is
// "<path>: <why>", ready for ConfigDenied.
type TrustError struct {
	Path string
	Why  string
}

// OthersWrite is how Why begins where nothing but the mode is wrong.
const OthersWrite = "is writable by group or others"

func (e *TrustError) Error() string { return printable(e.Path) + ": " + e.Why }

// ReadTrusted reads a file that decides something (config, manifest, policy,
// session; formats.md). The final path element may not be a symlink; what was
// opened must be a regular file of the caller's or root's, not writable by
// group or others, and so must its folder. Files over max bytes are refused.
// A file that is not there gives an error that is fs.ErrNotExist; every other
// error is a *TrustError.
func ReadTrusted(path string, max int64) ([]byte, error) {
	f, err := OpenTrusted(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, &TrustError{path, Reason(err)}
	}
	if info.Size() > max {
		return nil, tooLarge(path, max)
	}
	data := make([]byte, info.Size()+1)
	n, err := io.ReadFull(f, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, &TrustError{path, Reason(err)}
	}
	if int64(n) > info.Size() {
		return nil, &TrustError{path, "changed while it was read"}
	}
	return data[:n], nil
}

func tooLarge(path string, max int64) error {
	return &TrustError{path, fmt.Sprintf("larger than %d bytes", max)}
}

// OpenTrusted opens an existing trusted file with the checks of ReadTrusted.
// flag is os.O_RDONLY, os.O_RDWR or os.O_WRONLY|os.O_APPEND and the like; it
// never creates. O_NONBLOCK keeps a fifo in the file's place from hanging us.
func OpenTrusted(path string, flag int) (*os.File, error) {
	if err := CheckTrustedDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if errors.Is(err, syscall.ELOOP) {
			return nil, &TrustError{path, "is a symbolic link"}
		}
		return nil, &TrustError{path, Reason(err)}
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, &TrustError{path, Reason(err)}
	}
	if why := distrust(info); why != "" {
		f.Close()
		return nil, &TrustError{path, why}
	}
	return f, nil
}

// CheckTrustedDir holds a folder to the same rule as a trusted file.
func CheckTrustedDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil:
		return &TrustError{dir, Reason(err)}
	case !info.IsDir():
		return &TrustError{dir, "is not a folder"}
	}
	if why := distrustMode(info); why != "" {
		return &TrustError{dir, why}
	}
	return nil
}

func distrust(info fs.FileInfo) string {
	if !info.Mode().IsRegular() {
		return "is not a regular file"
	}
	return distrustMode(info)
}

func distrustMode(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "owner unknown"
	}
	if uid := st.Uid; uid != 0 && int64(uid) != int64(os.Geteuid()) {
		return fmt.Sprintf("belongs to uid %d", uid)
	}
	if perm := info.Mode().Perm(); perm&0o022 != 0 {
		return fmt.Sprintf("%s (mode %04o)", OthersWrite, perm)
	}
	return ""
}

// Reason is an error's cause in one lower-case line without paths or Go names:
// the errno's own words where there is one.
func Reason(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
