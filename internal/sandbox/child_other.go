//go:build !linux

package sandbox

// MaybeChild is the first line of main. Here no child is hcp itself, and no
// thread has a role.
func MaybeChild() {}
