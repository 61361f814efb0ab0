package act

import "testing"

func TestFindTakesTheFirst(t *testing.T) {
	table := Table{{ID: "a", Keys: []string{"x", "y"}}, {ID: "b", Keys: []string{"y"}}}
	if got, ok := table.Find("y"); !ok || got.ID != "a" {
		t.Errorf("got %v, %v", got, ok)
	}
	if _, ok := table.Find("z"); ok {
		t.Error("a key that is in no row was found")
	}
}

func TestSpelled(t *testing.T) {
	if got := (Action{Keys: []string{" ", "pgdown", "ctrl+f"}}).Spelled(); got != "space PgDn ctrl+f" {
		t.Errorf("got %q", got)
	}
}
