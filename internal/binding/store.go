package binding

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"hcp/internal/hcp"
)

// Store keeps the fields of a credential where the entry says: provider file
// writes the file, 0600, in one step, and makes the folder it is in; provider
// keyring hands them to the platform's tool, on its stdin. A helper keeps its
// own. What was there before is replaced. Errors name no value.
func (e Entry) Store(ctx context.Context, fields map[string]hcp.Secret) error {
	values := make(map[string]string, len(fields))
	for name, s := range fields {
		if values[name] = s.Reveal(); values[name] == "" {
			return errors.New("empty field " + hcp.Printable(name, ""))
		}
	}
	data := objectOf(values).AppendJSON(nil)
	switch {
	case len(values) == 0:
		return errors.New("no fields")
	case len(data) > maxCredential:
		return fmt.Errorf("larger than %d bytes", maxCredential)
	case e.Provider == providerFile:
		return e.storeFile(data)
	case e.Provider == providerKeyring:
		return e.storeKeyring(ctx, data)
	}
	return errProvider(e.Provider)
}

// Remove forgets what Store has kept. fs.ErrNotExist: there was no file.
func (e Entry) Remove(ctx context.Context) error {
	switch e.Provider {
	case providerFile:
		if err := os.Remove(e.Path); err != nil {
			return fileError(e.Path, err)
		}
		return nil
	case providerKeyring:
		_, reason := e.keyring(ctx, "clear", nil, storeTimeout)
		return keyringError(reason)
	}
	return errProvider(e.Provider)
}

func errProvider(provider string) error {
	return errors.New("provider " + hcp.Quote(provider) + " keeps no secret in hcp")
}

func (e Entry) storeFile(data []byte) error {
	if !filepath.IsAbs(e.Path) {
		return errors.New("path is not absolute")
	}
	dir := filepath.Dir(e.Path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fileError(dir, err)
	}
	if err := hcp.CheckTrustedDir(dir); err != nil {
		return err
	}
	lock, err := os.Open(dir)
	if err != nil {
		return fileError(dir, err)
	}
	defer lock.Close()
	if err := flock(context.Background(), lock, keyringTimeout); err != nil {
		return fileError(dir, errors.New("locked by another process"))
	}
	if err := replace(e.Path, append(data, '\n')); err != nil {
		return fileError(e.Path, err)
	}
	return nil
}

// fileError is "<path>: <why>", and still fs.ErrNotExist where it was.
func fileError(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", hcp.Printable(path, ""), fs.ErrNotExist)
	}
	return &hcp.TrustError{Path: path, Why: hcp.Reason(err)}
}

// replace writes a secret's file beside its place and moves it there. The caller
// holds a lock, so a file that a killed writer left behind is used up.
func replace(path string, data []byte) error {
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp")
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o600) // whatever the umask is
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
}

// maxLine is what the macOS tool reads of one line.
const maxLine = 4000

// storeKeyring: the macOS tool takes a secret from its stdin only inside of a
// command of its own, there as hexadecimal digits.
func (e Entry) storeKeyring(ctx context.Context, data []byte) error {
	if runtime.GOOS == "darwin" {
		data = fmt.Appendf(nil, "add-generic-password -U -s \"%s\" -a \"%s\" -X %s\n", e.Service, e.Account, hex.EncodeToString(data))
		if len(data) > maxLine {
			return errors.New("too large for the keyring")
		}
	}
	_, reason := e.keyring(ctx, "store", data, storeTimeout)
	return keyringError(reason)
}

func keyringError(reason string) error {
	if reason == "" {
		return nil
	}
	return errors.New("keyring: " + reason)
}

// objectOf is a JSON object of strings, its names in order.
func objectOf(fields map[string]string) hcp.Value {
	v := hcp.Value{Kind: hcp.Object}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		v.Members = append(v.Members, hcp.Member{Name: name, Value: hcp.StringValue(fields[name])})
	}
	return v
}
