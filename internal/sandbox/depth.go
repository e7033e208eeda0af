package sandbox

import "strconv"

// maxDepth is the first HCP_DEPTH that is one call inside another too many.
const maxDepth = 8

// Depth reads the caller's HCP_DEPTH (cli.md). Absent is 0. ok is false for
// anything but a number from 0 to 7: the call is then recursive, or somebody
// tampered with the count.
func Depth(value string, present bool) (depth int, ok bool) {
	if !present {
		return 0, true
	}
	n, err := strconv.ParseUint(value, 10, 8)
	if err != nil || n >= maxDepth {
		return 0, false
	}
	return int(n), true
}
