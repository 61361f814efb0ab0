package findings

import "fmt"

// bytes prints an amount as MiB below 10 GiB, where the tools that set limits count
// so too, and as GiB above.
func bytes(n int64) string {
	if n < 10<<30 {
		return fmt.Sprintf("%d MiB", (n+1<<19)>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

func percent(ratio float64) string { return fmt.Sprintf("%.0f %%", ratio*100) }

// count writes a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
