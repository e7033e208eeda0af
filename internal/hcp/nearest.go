package hcp

// Nearest gives the candidate a mistyped word most likely meant, or "": at most
// one edit in three letters away, the first of equals.
func Nearest(word string, candidates []string) string {
	const longest = 64
	if word == "" || len(word) > longest {
		return ""
	}
	best, at := "", 1+len(word)/3
	for _, c := range candidates {
		if c == word {
			continue
		}
		if d := editDistance(word, c); d < at || d == at && best == "" {
			best, at = c, d
		}
	}
	return best
}

// editDistance counts insertions, deletions, substitutions and swaps of
// neighbours.
func editDistance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
