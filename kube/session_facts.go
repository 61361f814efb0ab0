package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"

	"github.com/mullion-tui/mullion/model"
)

// factsEvery is how often what the API server says of itself is asked anew: it may
// be upgraded while somebody looks.
const factsEvery = 10 * time.Minute

// learnServer asks the API server for its version and for the name that it knows us
// by, soon again while an answer is missing that may still come.
func (s *Session) learnServer(ctx context.Context) {
	var known model.ServerFacts
	retry := newBackoff()
	for ctx.Err() == nil {
		facts, err := s.askServer(ctx)
		if ctx.Err() == nil && facts != known {
			known = facts
			s.pending.putServer(facts)
		}
		wait := factsEvery
		switch {
		case pluginFailed(err):
			wait = askAgain
		case err != nil:
			wait = retry.Step()
		}
		if !sleep(ctx, s.clock, wait) {
			return
		}
	}
}

// askServer returns what could be learned, and an error if asking again may help.
func (s *Session) askServer(ctx context.Context) (facts model.ServerFacts, err error) {
	var versionErr, userErr error
	facts.Version, versionErr = s.serverVersion(ctx)
	facts.User, userErr = s.userName(ctx)
	var problems []string
	problems = appendProblem(problems, "server version unknown", versionErr)
	problems = appendProblem(problems, "user name unknown", userErr)
	if ahead := s.dates.ahead.Load(); ahead != nil {
		facts.ClockKnown, facts.ClockAhead = true, *ahead
	}
	facts.Error = strings.Join(problems, "; ")
	for _, e := range []error{versionErr, userErr} {
		if !isFinal(e) {
			err = errors.Join(err, e)
		}
	}
	return facts, err
}

func appendProblem(problems []string, what string, err error) []string {
	if err == nil {
		return problems
	}
	return append(problems, what+": "+Explain(err))
}

// isFinal reports whether an answer is one, or will not come soon: SelfSubjectReview
// is there only since Kubernetes 1.28, and both questions can be forbidden.
func isFinal(err error) bool {
	return err == nil || apierrors.IsNotFound(err) || apierrors.IsForbidden(err)
}

func (s *Session) serverVersion(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	body, err := s.client.Discovery().RESTClient().Get().AbsPath("/version").SetHeader("Accept", "application/json").MaxRetries(0).Do(ctx).Raw()
	if err != nil {
		return "", fmt.Errorf("get /version: %w", err)
	}
	var info version.Info
	if err := json.Unmarshal(body, &info); err != nil {
		return "", fmt.Errorf("read the answer to /version: %w", err)
	}
	return cut(info.GitVersion), nil
}

func (s *Session) userName(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	review, err := s.client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("ask who we are: %w", err)
	}
	return cut(review.Status.UserInfo.Username), nil
}
