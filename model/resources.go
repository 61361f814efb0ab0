package model

// Resources is an amount of what the scheduler counts. Zero means none was
// asked for or none is known; it never means unlimited.
type Resources struct {
	CPU    int64 // thousandths of a core
	Memory int64 // bytes
}

// Plus returns the sum of both.
func (r Resources) Plus(o Resources) Resources {
	return Resources{CPU: r.CPU + o.CPU, Memory: r.Memory + o.Memory}
}

// Minus returns what is left of r once o is taken away; it may be negative.
func (r Resources) Minus(o Resources) Resources {
	return Resources{CPU: r.CPU - o.CPU, Memory: r.Memory - o.Memory}
}
