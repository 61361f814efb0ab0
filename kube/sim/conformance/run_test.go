package conformance_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mullion-tui/mullion/kube/sim/apiserver"
	"github.com/mullion-tui/mullion/kube/sim/conformance"
)

func TestTableOnTheSimulatedServer(t *testing.T) {
	s, err := apiserver.New(apiserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "conf"}}
	if err := s.Load(ns); err != nil {
		t.Fatal(err)
	}
	answers, err := conformance.Run(context.Background(), s.Config("admin"), "conf")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		t.Logf("%s\n%s", a.Step, a.Got)
	}
}
