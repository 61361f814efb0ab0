package apiserver

import "sync"

// auditLimit is how many requests are remembered; the oldest are dropped.
const auditLimit = 1 << 16

// Request is one line of the audit log. Group is empty for the core group and for paths that are no resource, whose path
// is then in Name. Code is the HTTP status, 0 while nothing was answered.
type Request struct {
	User, Verb, Group, Resource, Subresource, Namespace, Name string
	Code                                                      int
	DryRun                                                    bool
}

type audit struct {
	mu   sync.Mutex
	list []Request
}

// note writes a finished request down. A watch is finished when it ends.
func (s *Server) note(q *request) {
	line := Request{User: q.user.name, Verb: q.verb, Namespace: q.namespace, Name: q.name, Subresource: q.sub, Code: q.code, DryRun: q.dryRun}
	if q.res != nil {
		line.Group, line.Resource = q.res.gvk.Group, q.res.plural
	} else {
		line.Name = q.r.URL.Path
	}
	s.audit.mu.Lock()
	defer s.audit.mu.Unlock()
	if len(s.audit.list) >= 2*auditLimit {
		s.audit.list = append([]Request(nil), s.audit.list[auditLimit:]...)
	}
	s.audit.list = append(s.audit.list, line)
}

// Log returns the requests that were answered, oldest first. A watch is in it once it has ended.
func (s *Server) Log() []Request {
	s.audit.mu.Lock()
	defer s.audit.mu.Unlock()
	return append([]Request(nil), s.audit.list...)
}
