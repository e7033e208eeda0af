//go:build race

package audit

// raced tells that this run is for finding races, not for counting seconds.
const raced = true
