package scaffold

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// launcherKinds lists programs whose arguments are programs. One kind a line.
func launcherKinds() [3][2]string {
	return [...][2]string{
		{"a shell", "sh bash rbash dash ash zsh ksh ksh93 mksh oksh pdksh yash posh fish csh tcsh nu elvish xonsh osh ysh pwsh powershell " +
			"busybox toybox"},
		{"an interpreter", "python pypy ipython perl ruby irb node nodejs deno bun php lua luajit tclsh wish expect R Rscript julia ghci runghc runhaskell " +
			"guile racket sbcl clisp gawk mawk nawk awk original-awk java jshell groovy scala kotlin dotnet erl escript elixir iex ocaml swipl " +
			"gjs qjs osascript octave gnuplot bc dc sed m4 ts-node tsx gdb lldb"},
		{"a launcher", "env xargs sudo sudoedit doas su runuser ssh slogin rsh rlogin sshpass dbclient mosh autossh find parallel nohup nice ionice chrt taskset " +
			"timeout time stdbuf setsid setpriv setarch chroot unshare nsenter capsh bwrap firejail strace ltrace script watch entr flock " +
			"systemd-run pkexec gosu su-exec start-stop-daemon run-parts at batch npx pnpx bunx uvx corepack fakeroot proot faketime " +
			"torify torsocks proxychains proxychains4 socat ncat nc netcat telnet ld.so ld-linux.so ld-linux-x86-64.so ld-linux-aarch64.so ld-musl-x86_64.so " +
			"ld-musl-aarch64.so dbus-run-session xvfb-run winpty catchsegv linux32 linux64 i386 x86_64"},
	}
}

// launcher tells whether a bin is a shell, an interpreter or a launcher: by any
// name it has, and by being the same file, or a copy of one, under another name.
func launcher(f Found, info fs.FileInfo, sum string) *Launcher {
	asked := filepath.Base(f.Asked)
	for _, kind := range launcherKinds() {
		for name := range strings.FieldsSeq(kind[1]) {
			if isVersionOf(asked, name) {
				return &Launcher{Name: asked, Kind: kind[0]}
			}
			for _, file := range [...]string{f.Path, f.Real} {
				if isVersionOf(filepath.Base(file), name) {
					return &Launcher{Name: asked, Kind: kind[0], Is: file}
				}
			}
			if file := twin(name, info, sum); file != "" {
				return &Launcher{Name: asked, Kind: kind[0], Is: "the same program as " + file}
			}
		}
	}
	return nil
}

// isVersionOf tells whether a base name is a program's, bare or with a version:
// python3.11, perl5.36.0, lua-5.4, ld-linux-x86-64.so.2.
func isVersionOf(base, name string) bool {
	base = strings.TrimSuffix(base, ".exe")
	rest, ok := strings.CutPrefix(base, name)
	return ok && strings.Trim(rest, "0123456789.-") == ""
}

// twin finds the system's program of that name that is the same file, or has
// the same bytes.
func twin(name string, info fs.FileInfo, sum string) string {
	for _, dir := range [...]string{"/bin/", "/usr/bin/", "/usr/local/bin/", "/usr/sbin/"} {
		other, err := os.Stat(dir + name)
		if err != nil || !other.Mode().IsRegular() {
			continue
		}
		if os.SameFile(info, other) || info.Size() == other.Size() && sameSum(dir+name, sum) {
			return dir + name
		}
	}
	return ""
}

func sameSum(path, sum string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, io.LimitReader(f, maxBin))
	return err == nil && hex.EncodeToString(h.Sum(nil)) == sum
}
