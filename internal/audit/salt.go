package audit

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"hcp/internal/hcp"
)

const (
	saltName = "salt"
	saltLen  = 32 // bytes
)

// fingerprint stands for text that is not to be written down: equal texts are
// equal in one log, and without the salt nobody can try guesses.
func (l *Log) fingerprint(text []byte) (string, error) {
	salt, err := l.readSalt()
	if err != nil {
		return "", err
	}
	h := hmac.New(sha256.New, salt)
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// readSalt makes the salt when there is none, once: whoever comes second under
// the lock takes the first one's.
func (l *Log) readSalt() ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.salt != nil {
		return l.salt, nil
	}
	salt, err := loadSalt(l.dir)
	if errors.Is(err, fs.ErrNotExist) {
		salt, err = makeSalt(l.dir)
	}
	if err == nil {
		l.salt = salt
	}
	return salt, err
}

func loadSalt(dir string) ([]byte, error) {
	salt, err := hcp.ReadTrusted(filepath.Join(dir, saltName), saltLen)
	if err != nil {
		return nil, plainErrno(err)
	}
	if len(salt) != saltLen {
		return nil, errors.New("salt is damaged")
	}
	return salt, nil
}

func makeSalt(dir string) ([]byte, error) {
	lock, err := lockForWriting(dir, time.Now())
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	salt, err := loadSalt(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return salt, err
	}
	salt = make([]byte, saltLen)
	rand.Read(salt) // never fails (it ends the process instead)
	f, err := publish(filepath.Join(dir, saltName), salt)
	if err != nil {
		return nil, err
	}
	return salt, f.Close()
}
