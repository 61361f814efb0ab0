package kube

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mullion-tui/mullion/model"
)

// maxInterned bounds the table of an interner. A cluster of 5,000 nodes and 50,000
// pods has about 20,000 strings that repeat.
const maxInterned = 1 << 16

// interner keeps one copy of each string that many objects share: names of nodes
// and namespaces, states, keys and values of labels. One goroutine owns it. The
// standard library's unique forgets a string as soon as its handle is gone, and
// the types of model keep plain strings.
type interner map[string]string

func (t interner) of(s string) string {
	if s == "" {
		return ""
	}
	if known, ok := t[s]; ok {
		return known
	}
	if len(t) >= maxInterned {
		clear(t)
	}
	t[s] = s
	return s
}

func (t interner) mapOf(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[t.of(k)] = t.of(v)
	}
	return out
}

// at returns a time of the API in UTC; the zero time stands for none.
func at(t metav1.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}

func atOrNever(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return at(*t)
}

// ownerOf returns the controller among the owners of an object.
func (t interner) ownerOf(o metav1.Object) model.Owner {
	ref := metav1.GetControllerOfNoCopy(o)
	if ref == nil {
		return model.Owner{}
	}
	return model.Owner{Kind: t.of(ref.Kind), Name: t.of(ref.Name), UID: t.of(string(ref.UID))}
}

func resourcesOf(l corev1.ResourceList) model.Resources {
	return model.Resources{CPU: l.Cpu().MilliValue(), Memory: l.Memory().Value()}
}

func orOne(n *int32) int {
	if n == nil {
		return 1
	}
	return int(*n)
}
