package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"

	"github.com/mullion-tui/mullion/model"
)

// learnServer asks the API server for its version and for the name that it knows
// us by, until it has answered both or made clear that it will not.
func (s *Session) learnServer(ctx context.Context) {
	var facts model.ServerFacts
	askVersion, askUser := true, true
	retry := newBackoff()
	for ctx.Err() == nil {
		var problems []string
		if askVersion {
			version, err := s.serverVersion(ctx)
			facts.Version, askVersion = version, err != nil && !isFinal(err)
			problems = appendProblem(problems, "server version unknown", err)
		}
		if askUser {
			user, err := s.userName(ctx)
			facts.User, askUser = user, err != nil && !isFinal(err)
			problems = appendProblem(problems, "user name unknown", err)
		}
		facts.Error = strings.Join(problems, "; ")
		if ctx.Err() == nil {
			s.pending.putServer(facts)
		}
		if !askVersion && !askUser || !sleep(ctx, s.clock, retry.Step()) {
			return
		}
	}
}

func appendProblem(problems []string, what string, err error) []string {
	if err == nil {
		return problems
	}
	return append(problems, what+": "+Explain(err))
}

// isFinal reports whether asking again is no use: SelfSubjectReview is there only
// since Kubernetes 1.28, and both questions can be forbidden.
func isFinal(err error) bool { return apierrors.IsNotFound(err) || apierrors.IsForbidden(err) }

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
