package hcp

import "strings"

// Nearest returns the candidate that word most likely meant, or "" when none is
// close: one slip in a short word, one in three characters in a longer one.
func Nearest(word string, candidates []string) string {
	const longest = 64 // a longer word is no slip of a name
	if word == "" || len(word) > longest {
		return ""
	}
	best, bestAt := "", max(1, len(word)/3)+1
	for _, c := range candidates {
		if len(c) > longest || len(c) == 1 && len(word) == 1 {
			continue
		}
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d < bestAt {
			best, bestAt = c, d
		}
	}
	return best
}

// distance counts the insertions, deletions, substitutions and swaps of
// neighbours that turn a into b.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, prev, cur := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(s); i++ {
		cur[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(t)]
}
