// Package sandbox runs one program for one call (§10). It hides how a program
// is found, pinned and started, what its environment and folders are, how file
// references are rewritten, what comes back out, and how everything a child
// started is ended with it. It refuses to search PATH when a call runs, to hand
// a child anything of the parent's environment or descriptors, to build a
// command line for a shell, and to follow a link out of a folder it was given.
// It knows no pack, policy or grant: nothing here can decide those again.
package sandbox
