package placement

import (
	"strings"
	"testing"
)

const sha = "sha256:3b1f5f2f6a4c0a4f5d7c1f0e4d2a8b9c7e6f5d4c3b2a19080716253443526170"

func TestParseImage(t *testing.T) {
	for _, tt := range []struct {
		ref  string
		want Image
	}{
		{"nginx", Image{"", "nginx", "", ""}},
		{"nginx:1.27", Image{"", "nginx", "1.27", ""}},
		{"library/nginx", Image{"", "library/nginx", "", ""}},
		{"mcr.microsoft.com/windows/servercore:ltsc2022", Image{"mcr.microsoft.com", "windows/servercore", "ltsc2022", ""}},
		{"localhost/app", Image{"localhost", "app", "", ""}},
		{"registry:5000/app", Image{"registry:5000", "app", "", ""}},
		{"registry:5000/app:2", Image{"registry:5000", "app", "2", ""}},
		{"10.0.0.1:5000/team/app:V1-LTSC2025", Image{"10.0.0.1:5000", "team/app", "V1-LTSC2025", ""}},
		{"[2001:db8::1]:5000/app:2", Image{"[2001:db8::1]:5000", "app", "2", ""}},
		{"REGISTRY/app", Image{"REGISTRY", "app", "", ""}},
		{"app@" + sha, Image{"", "app", "", sha}},
		{"a.b/c:t@" + sha, Image{"a.b", "c", "t", sha}},
		{"registry:5000/app@" + sha, Image{"registry:5000", "app", "", sha}},
		{sha, Image{"", "sha256", sha[7:], ""}}, // an image by its ID, as dumps of nodes have it
		{"", Image{}},
		{":", Image{}},
		{"@", Image{}},
		{"/", Image{"", "/", "", ""}},
	} {
		if got := ParseImage(tt.ref); got != tt.want {
			t.Errorf("%q is %+v, want %+v", tt.ref, got, tt.want)
		}
	}
}

func FuzzParseImage(f *testing.F) {
	for _, s := range []string{"", "a:b@c:d", "registry:5000/x/y:1809", "10.0.20348.1-amd64", "windows/nanoserver:10.0.99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		image := ParseImage(ref)
		for _, part := range []string{image.Registry, image.Repository, image.Tag, image.Digest} {
			if !strings.Contains(ref, part) {
				t.Errorf("%q is no part of %q", part, ref)
			}
		}
		if strings.Contains(image.Tag, "/") {
			t.Errorf("the tag of %q is %q", ref, image.Tag)
		}
		base := BaseOf(image)
		if base.Build != 0 && (!base.Inferred || !base.Windows || base.Part == "") {
			t.Errorf("%q has the base %+v", ref, base)
		}
		if base.Build < 0 || base.Build >= 100000 {
			t.Errorf("%q has build %d", ref, base.Build)
		}
	})
}

func TestBaseOf(t *testing.T) {
	for _, tt := range []struct {
		ref     string
		build   int
		windows bool
	}{
		{"mcr.microsoft.com/windows/servercore:ltsc2022", 20348, true},
		{"mcr.microsoft.com/windows/servercore:ltsc2022-amd64", 20348, true},
		{"mcr.microsoft.com/windows/nanoserver:1809", 17763, true},
		{"mcr.microsoft.com/windows/nanoserver:10.0.20348.3566", 20348, true},
		{"mcr.microsoft.com/windows/nanoserver:10.0.20348.3566-amd64", 20348, true},
		{"mcr.microsoft.com/dotnet/framework/aspnet:4.8-20191112-windowsservercore-ltsc2019", 17763, true},
		{"golang:1.26-windowsservercore-1809", 17763, true},
		{"registry.k8s.io/e2e-test-images/agnhost:2.66.1-windows-amd64-1809", 17763, true},
		{"registry.k8s.io/e2e-test-images/agnhost:2.66.1-windows-amd64-ltsc2025", 26100, true},
		{"example/app:v2-LTSC2025", 26100, true},
		{"windows_exporter:0.20.0-lts2022", 20348, true},
		{"app:1.0-windows-20H2", 19042, true},
		{"app:lts-nanoserver-24h2", 26100, true},
		// A name that speaks of Windows, and no build in it.
		{"mcr.microsoft.com/windows/servercore:latest", 0, true},
		{"golang:1-windowsservercore", 0, true},
		{"app:windows-ltsc2022-ltsc2025", 0, true},
		// Other software that uses the same numbers.
		{"ubuntu:20.04", 0, false},
		{"app:1809", 0, false},
		{"app:2004", 0, false},
		{"app:20191112", 0, false},
		{"app:2019.1809.3", 0, false},
		{"app:10.0.3", 0, false},
		{"app:10.0.20348x", 0, false},
		{"app:xltsc2022", 0, false},
		{"windowskiller:1809", 0, false},
		{"app", 0, false},
		{"", 0, false},
	} {
		if got := BaseOf(ParseImage(tt.ref)); got.Build != tt.build || got.Windows != tt.windows || got.Inferred != (tt.build != 0) {
			t.Errorf("%q has the base %+v, want build %d, Windows %v", tt.ref, got, tt.build, tt.windows)
		}
	}
}

func TestFit(t *testing.T) {
	for _, tt := range []struct {
		host, image int
		want        Fit
	}{
		{17763, 17763, FitSame}, {17763, 14393, FitNever}, {17763, 20348, FitNever}, {17763, 26100, FitNever},
		{14393, 14393, FitSame}, {19042, 17763, FitNever},
		{20348, 20348, FitSame}, {20348, 17763, FitNever}, {20348, 26100, FitNever}, {20348, 19042, FitNever},
		{25398, 25398, FitSame}, {25398, 20348, FitException}, {25398, 17763, FitNever}, {25398, 26100, FitNever},
		{26100, 26100, FitSame}, {26100, 20348, FitException}, {26100, 25398, FitException}, {26100, 17763, FitNever}, {26100, 26101, FitNever}, {26100, 20347, FitNever},
		{29000, 29000, FitSame}, {29000, 26100, FitOlder}, {29000, 28000, FitOlder}, {29000, 26099, FitNever}, {29000, 20348, FitNever}, {29000, 29001, FitNever},
		{0, 20348, FitUnknown}, {20348, 0, FitUnknown}, {0, 0, FitUnknown}, {-1, 20348, FitUnknown}, {20348, -5, FitUnknown},
	} {
		if got := FitOf(tt.host, tt.image); got != tt.want {
			t.Errorf("image %d on host %d: %v, want %v", tt.image, tt.host, got, tt.want)
		}
	}
}
