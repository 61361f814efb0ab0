package node

import (
	"testing"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/ui/uitest"
)

func lab(t *testing.T) (*uitest.Contexts, *Screen, eventsAnswer) {
	t.Helper()
	c := uitest.NewContexts()
	c.Add("lab", uitest.Lab()).Events = []model.Event{{Type: "Normal", Reason: "NodeReady", Last: uitest.Now}}
	session, err := c.Open(t.Context(), "lab")
	if err != nil {
		t.Fatal(err)
	}
	s, cmd := New("k8s-lab-win-1", session, uitest.Now)
	return c, s, cmd().(eventsAnswer)
}

func TestEventsOfAnotherQuestionAreDropped(t *testing.T) {
	for name, change := range map[string]func(*eventsAnswer){
		"another session":  func(m *eventsAnswer) { m.session++ },
		"another node":     func(m *eventsAnswer) { m.node = "other" },
		"an older request": func(m *eventsAnswer) { m.sequence-- },
	} {
		_, s, answer := lab(t)
		change(&answer)
		s.Update(answer)
		if len(s.events) != 0 || !s.asking {
			t.Errorf("%s: the answer was taken", name)
		}
	}
	_, s, answer := lab(t)
	s.Update(answer)
	if len(s.events) != 1 || s.asking {
		t.Error("the right answer was not taken")
	}
}

func TestWithoutASessionNothingIsAsked(t *testing.T) {
	s, cmd := New("x", nil, uitest.Now)
	if cmd != nil {
		t.Error("events were asked for")
	}
	if a, _ := s.Actions().Find("r"); a.Why == "" {
		t.Error("reading events is offered without a session")
	}
}

func TestNodeThatComesBackIsThereAgain(t *testing.T) {
	_, s, _ := lab(t)
	c := model.NewCluster()
	c.Apply(uitest.Lab())
	there := c.Snapshot()
	c.Apply(model.Delta{At: uitest.Now, Gone: []model.Key{{Kind: model.KindNode, Name: "k8s-lab-win-1"}}})
	s.Show(there, "", uitest.Now)
	s.Show(c.Snapshot(), "", uitest.Now)
	if s.gone.IsZero() || s.view == nil {
		t.Error("a node that went is not said to be gone, or its last state was lost")
	}
	s.Show(there, "", uitest.Now)
	if !s.gone.IsZero() {
		t.Error("a node that came back is still said to be gone")
	}
}
