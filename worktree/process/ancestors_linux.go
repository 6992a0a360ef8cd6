package process

import "os"

// ancestors are the parent of this process, its parent, and so on. A chain that
// comes back to itself, as when numbers are used again meanwhile, ends there.
func ancestors() []int {
	var all []int
	seen := map[int]bool{}
	for pid := os.Getppid(); pid > 1 && !seen[pid]; {
		all, seen[pid] = append(all, pid), true
		s, ok := readStat(pid)
		if !ok {
			break
		}
		pid = s.parent
	}
	return all
}
