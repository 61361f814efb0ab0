package placement

import "strings"

// Image is an image reference taken apart. It keeps letters as they were written.
type Image struct {
	Registry   string // host and port; empty is the runtime's default
	Repository string // dotnet/aspnet
	Tag        string // empty is none: the runtime takes "latest" where there is no digest either
	Digest     string // sha256:…; empty is none. Where there is one, the tag decides nothing
}

// ParseImage takes any text apart as the grammar of references has it
// ([host[:port]/]path[:tag][@digest]); text that breaks the grammar yields some parts
// of it, and never an error: what is wrong with it, the runtime says.
func ParseImage(ref string) Image {
	var out Image
	name, digest, _ := strings.Cut(ref, "@")
	out.Digest = digest
	// A colon before the last slash belongs to the host's port.
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name, out.Tag = name[:i], name[i+1:]
	}
	out.Repository = name
	host, rest, slash := strings.Cut(name, "/")
	if slash && isHost(host) {
		out.Registry, out.Repository = host, rest
	}
	return out
}

// isHost tells a registry from the first part of a path: paths have no dot, no colon
// and no capital there, and "localhost" is a host.
func isHost(s string) bool {
	return s == "localhost" || strings.ContainsAny(s, ".:") || strings.ToLower(s) != s
}
