//go:build linux

package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// Event is a line of the audit log: one stage of one request, as audit.k8s.io/v1 has it.
type Event struct {
	AuditID    string    `json:"auditID"`
	Stage      string    `json:"stage"` // ResponseStarted (watches), ResponseComplete, Panic
	Verb       string    `json:"verb"`  // get, list, watch, create, update, patch, delete, deletecollection
	RequestURI string    `json:"requestURI"`
	UserAgent  string    `json:"userAgent"`
	Received   time.Time `json:"requestReceivedTimestamp"`
	User       struct {
		Username string   `json:"username"`
		Groups   []string `json:"groups"`
	} `json:"user"`
	Object struct {
		Group       string `json:"apiGroup"`
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	Response struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

// Mutating reports whether the request was of a kind that can change something. A
// self-subject review is created and changes nothing; it is not counted.
func (e *Event) Mutating() bool {
	switch e.Verb {
	case "get", "list", "watch":
		return false
	case "create":
		switch e.Object.Resource {
		case "selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews":
			return false
		}
	}
	return true
}

// String is the request as a log would show it.
func (e *Event) String() string {
	return fmt.Sprintf("%s %s %s → %d (%s)", e.User.Username, e.Verb, e.RequestURI, e.Response.Code, e.UserAgent)
}

// Audit returns what the API server has logged so far, oldest first. A request
// appears shortly after its answer did.
func (c *Cluster) Audit() ([]Event, error) {
	data, err := os.ReadFile(c.path("audit.log"))
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	var out []Event
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			return out, nil // the line that is being written
		}
		var e Event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("read line %d of the audit log: %w", n, err)
		}
		out, data = append(out, e), rest
	}
}

// AuditOf returns what was logged of one user.
func (c *Cluster) AuditOf(user string) ([]Event, error) {
	all, err := c.Audit()
	if err != nil {
		return nil, err
	}
	var out []Event
	for _, e := range all {
		if e.User.Username == user {
			out = append(out, e)
		}
	}
	return out, nil
}
