package model

import (
	"testing"
	"time"
)

func TestSnapshotFindsWhatIsKept(t *testing.T) {
	c := NewCluster()
	c.Apply(Delta{Objects: []Object{
		&Namespace{Name: "shop"}, &Volume{Name: "pv"}, &StorageClass{Name: "fast"}, &RuntimeClass{Name: "win"},
		&Claim{Namespace: "shop", Name: "data", Volume: "pv"}, &Claim{Namespace: "data", Name: "data"},
		&CertificateRequest{Name: "csr-2"}, &CertificateRequest{Name: "csr-1"},
		&Node{Name: "n"}, &Pod{Namespace: "shop", Name: "on", Node: "n"}, &Pod{Namespace: "shop", Name: "waits"},
	}})
	before := c.Snapshot()
	found := func(s *Snapshot) map[string]bool {
		out := map[string]bool{}
		_, out["namespace"] = s.Namespace("shop")
		_, out["volume"] = s.Volume("pv")
		_, out["class"] = s.StorageClass("fast")
		_, out["runtime class"] = s.RuntimeClass("win")
		_, out["claim"] = s.Claim("shop", "data")
		_, out["pod on a node"] = s.Pod("shop", "on")
		_, out["pod without one"] = s.Pod("shop", "waits")
		return out
	}
	for what, ok := range found(before) {
		if !ok {
			t.Errorf("the %s is not found", what)
		}
	}
	for what, ok := range found(&Snapshot{}) {
		if ok {
			t.Errorf("the empty snapshot has a %s", what)
		}
	}
	if _, ok := before.Claim("shop", "pv"); ok {
		t.Error("a claim is found by the name of a volume")
	}
	if all := before.CertificateRequests(); len(all) != 2 || all[0].Name != "csr-1" {
		t.Errorf("certificate requests %v", all)
	}

	// A later change leaves the snapshot before as it was; a fresh list drops the rest.
	c.Apply(Delta{At: time.Unix(1, 0), Gone: []Key{{Kind: KindNamespace, Name: "shop"}}, Reset: []Kind{KindClaim},
		Objects: []Object{&Claim{Namespace: "shop", Name: "data", Volume: "other"}}})
	after := c.Snapshot()
	if _, ok := after.Namespace("shop"); ok {
		t.Error("the namespace is still there")
	}
	if _, ok := after.Claim("data", "data"); ok {
		t.Error("a claim that the fresh list does not hold is still there")
	}
	if cl, ok := after.Claim("shop", "data"); !ok || cl.Volume != "other" {
		t.Errorf("the claim is %+v", cl)
	}
	if cl, ok := before.Claim("shop", "data"); !ok || cl.Volume != "pv" {
		t.Errorf("the snapshot before has changed: %+v", cl)
	}
	if _, ok := before.Namespace("shop"); !ok {
		t.Error("the snapshot before has lost its namespace")
	}
}

func TestClaimName(t *testing.T) {
	p := &Pod{Name: "web-0"}
	for _, tt := range []struct {
		volume PodVolume
		want   string
		ok     bool
	}{
		{PodVolume{Name: "data", Kind: "persistentVolumeClaim", Claim: "logs"}, "logs", true},
		{PodVolume{Name: "data", Kind: "persistentVolumeClaim", OwnClaim: true}, "data-web-0", true},
		{PodVolume{Name: "tmp", Kind: "ephemeral", OwnClaim: true}, "web-0-tmp", true},
		{PodVolume{Name: "tmp", Kind: "emptyDir"}, "", false},
	} {
		if got, ok := p.ClaimName(tt.volume); got != tt.want || ok != tt.ok {
			t.Errorf("%+v: %q %v, want %q %v", tt.volume, got, ok, tt.want, tt.ok)
		}
	}
}
