package scaffold

import "strconv"

// count gives "1 command was" or "3 commands were".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
