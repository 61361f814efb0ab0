package controllers

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// awaitAtMost is how long the copy may lag behind a write before the write is forgotten; the real controllers use the same.
const awaitAtMost = 5 * time.Minute

// awaited is what was written and the copy does not show yet, so that nothing is created or deleted twice.
type awaited struct {
	created map[types.UID]map[types.UID]time.Time // by owner, then by pod
	deleted map[types.UID]time.Time               // by pod
}

func newAwaited() awaited {
	return awaited{created: map[types.UID]map[types.UID]time.Time{}, deleted: map[types.UID]time.Time{}}
}

func (a awaited) create(owner, pod types.UID, now time.Time) {
	if a.created[owner] == nil {
		a.created[owner] = map[types.UID]time.Time{}
	}
	a.created[owner][pod] = now
}

// podsOf lists an owner's pods as they will be once the copy has caught up; false: it is behind, look again later.
func (c *Controllers) podsOf(owner types.UID) ([]*corev1.Pod, bool) {
	pods := c.index.podsOfOwner(owner)
	now := c.clock.Now()
	kept, behind := pods[:0:0], false
	for _, p := range pods {
		delete(c.awaited.created[owner], p.UID)
		if at, ok := c.awaited.deleted[p.UID]; ok && p.DeletionTimestamp == nil && now.Sub(at) < awaitAtMost {
			behind = true
			continue
		}
		delete(c.awaited.deleted, p.UID)
		kept = append(kept, p)
	}
	for uid, at := range c.awaited.created[owner] {
		if now.Sub(at) >= awaitAtMost {
			delete(c.awaited.created[owner], uid)
		}
	}
	if len(c.awaited.created[owner]) == 0 {
		delete(c.awaited.created, owner)
		return kept, !behind
	}
	return kept, false
}
