package kube

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/mullion-tui/mullion/kube/config"
)

var (
	jsonType    = regexp.MustCompile(`cannot unmarshal (\w+) into Go (?:struct field (\S+) of type|value of type) (\S+)`)
	otherKind   = regexp.MustCompile(`no kind "([^"]*)" is registered for version "([^"]*)"`)
	badBase64   = regexp.MustCompile(`illegal base64 data at input byte \d+`)
	quoted      = regexp.MustCompile(`'[^']*'|"[^"]*"|` + "`[^`]*`")
	urlUserinfo = regexp.MustCompile(`//[^\n]*@`) // greedy: a password may hold anything
)

// decodeProblem says why a file is no kubeconfig. client-go's own text is never
// passed on: for a name used twice it prints the whole list, tokens included.
func decodeProblem(path string, data []byte, err error) error {
	problem := &KubeconfigError{File: path, Reason: "is not a kubeconfig"}
	var root yaml.Node
	if yamlErr := yaml.Unmarshal(data, &root); yamlErr != nil {
		return notYAML(problem, yamlErr)
	}
	text := err.Error()
	if twice := duplicateName(&root); twice != nil {
		problem.Line = twice.Line
		problem.Reason = fmt.Sprintf("the name %q is used twice in the same list", twice.Value)
	} else if m := otherKind.FindStringSubmatch(text); m != nil {
		problem.Reason = fmt.Sprintf("is not a kubeconfig: it holds a %s of %s", m[1], m[2])
	} else if m := badBase64.FindString(text); m != "" {
		problem.Reason = "is not a kubeconfig: one of its …-data fields is not base64"
	} else if m := jsonType.FindStringSubmatch(text); m != nil {
		problem.Line = root.Content[0].Line
		problem.Reason = "not a kubeconfig: the file holds a " + m[1] + " instead of a mapping"
		if m[2] != "" {
			problem.Line, problem.Reason = 0, fmt.Sprintf("is not a kubeconfig: its field %s is a %s, which it must not be", m[2], m[1])
		}
	} else if strings.Contains(text, "yaml: ") {
		return notYAML(problem, err) // by the older rules that client-go reads it with
	}
	return problem
}

func notYAML(problem *KubeconfigError, err error) error {
	line, text := config.YAMLProblem(err)
	text = quoted.ReplaceAllString(oneLine(text), "…") // what it quotes may be a secret
	problem.Line, problem.Reason = line, "is not YAML: "+text
	if line > 0 {
		problem.Reason = "not YAML: " + text
	}
	return problem
}

// duplicateName returns the second use of a name in one of the kubeconfig's lists.
func duplicateName(root *yaml.Node) *yaml.Node {
	if len(root.Content) == 0 {
		return nil
	}
	for _, list := range []string{"clusters", "contexts", "users"} {
		items := valueOf(root.Content[0], list)
		if items == nil {
			continue
		}
		seen := map[string]bool{}
		for _, item := range items.Content {
			name := valueOf(item, "name")
			if name == nil {
				continue
			}
			if seen[name.Value] {
				return name
			}
			seen[name.Value] = true
		}
	}
	return nil
}

func valueOf(n *yaml.Node, key string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// publicURL is a server's URL without what could be a secret: user, password, query.
func publicURL(s string) string {
	whole := s
	if !strings.Contains(s, "://") { // client-go takes a host alone, too
		whole = "//" + s
	}
	u, err := url.Parse(whole)
	if err != nil {
		return strings.TrimPrefix(withoutUserinfo(whole), "//")
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return strings.TrimPrefix(u.String(), "//")
}

// withoutUserinfo takes user and password out of the URLs in a text.
func withoutUserinfo(s string) string { return urlUserinfo.ReplaceAllString(s, "//") }

// sameServer compares the servers of two clusters, as far as their spelling tells.
func sameServer(a, b string) bool {
	plain := func(s string) string { return strings.TrimRight(strings.ToLower(publicURL(s)), "/") }
	return plain(a) == plain(b)
}
