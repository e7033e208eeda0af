package cli

import (
	"os"
	"path/filepath"
)

// programAt describes the program of that name in a folder, or is nil.
func programAt(dir, name string) os.FileInfo {
	info, err := os.Stat(filepath.Join(dir, name))
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return nil
	}
	return info
}

// findOnPath is the first program of that name on PATH, or "".
func findOnPath(env *Env, name string) string {
	for _, dir := range pathDirs(env.Getenv("PATH")) {
		if programAt(dir, name) != nil {
			return filepath.Join(dir, name)
		}
	}
	return ""
}
