package hcp

// FileID pins one file: any change of these means another file. Times are
// nanoseconds since the epoch.
type FileID struct {
	Path  string // canonical: absolute, no symlinks
	Dev   uint64
	Inode uint64
	Size  int64
	Mtime int64
	Ctime int64
}

// BinRecord is what activation recorded of a pack's wrap.bin: the one file that
// may run (S-2). The zero record allows nothing.
type BinRecord struct {
	FileID
	Found  string   // the path as it was found, before symlinks: argv[0] of a multi-call program
	Interp []FileID // a script's interpreter chain, outermost first; nil for a native program
	Script []string // how to start a "#!/usr/bin/env x" script: fixed arguments of the interpreter; nil otherwise
	Prefix []string // absolute folders of the install (venv, node) that must be readable; nil for none
	Why    string   // why nothing was recorded: "not found", or what refused it; "" when Path is set
}

// KeyValue is one environment variable.
type KeyValue struct{ Name, Value string }

// CredentialFile is a credential that a child gets as a file of its own: Name
// in $CREDENTIALS_DIRECTORY. Env is the variable that holds the file's path, as
// KUBECONFIG does; "" none.
type CredentialFile struct{ Name, Value, Env string }
