package model

import (
	"strings"
	"testing"
	"time"
)

func TestParseWindowsVersion(t *testing.T) {
	cases := []struct {
		name, label, kernel string
		want                WindowsVersion
		conflict            string // part of it
	}{
		{"both agree", "10.0.26100", "10.0.26100.33438", WindowsVersion{Build: "10.0.26100", Number: 26100, Revision: 33438, Source: BuildFromBoth}, ""},
		{"kernel only, as before the label existed", "", "10.0.17763.1397", WindowsVersion{Build: "10.0.17763", Number: 17763, Revision: 1397, Source: BuildFromKernel}, ""},
		{"label only", "10.0.20348", "", WindowsVersion{Build: "10.0.20348", Number: 20348, Revision: -1, Source: BuildFromLabel}, ""},
		{"neither", "", "", WindowsVersion{Revision: -1}, ""},
		{"no revision, as in 2017", "", "10.0.14393", WindowsVersion{Build: "10.0.14393", Number: 14393, Revision: -1, Source: BuildFromKernel}, ""},
		{"kubectl's wide column", "", "10.0.26100.33438 (amd64)", WindowsVersion{Build: "10.0.26100", Number: 26100, Revision: 33438, Source: BuildFromKernel}, ""},
		{"upgraded in place, label not set again", "10.0.20348", "10.0.26100.1", WindowsVersion{Build: "10.0.26100", Number: 26100, Revision: 1, Source: BuildFromKernel}, "label says 10.0.20348, kernelVersion says 10.0.26100"},
		{"label is no version", "ltsc2022", "10.0.20348.5", WindowsVersion{Build: "10.0.20348", Number: 20348, Revision: 5, Source: BuildFromKernel}, `label "ltsc2022"`},
		{"kernel is a Linux one", "10.0.20348", "7.0.0-42-generic", WindowsVersion{Build: "10.0.20348", Number: 20348, Revision: -1, Source: BuildFromLabel}, `kernelVersion "7.0.0-42-generic"`},
		{"nothing is a version", "x", "-1.0.0", WindowsVersion{Revision: -1}, "neither"},
		{"numbers that overflow", "", "10.0.99999999999999999999.1", WindowsVersion{Revision: -1}, "neither"},
		{"five parts", "", "10.0.1.2.3", WindowsVersion{Revision: -1}, "neither"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := ParseWindowsVersion(c.label, c.kernel)
			if c.conflict == "" && got.Conflict != "" || !strings.Contains(got.Conflict, c.conflict) {
				t.Errorf("conflict = %q, want %q in it", got.Conflict, c.conflict)
			}
			got.Conflict = ""
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func FuzzParseWindowsVersion(f *testing.F) {
	f.Add("10.0.26100", "10.0.26100.33438")
	f.Add("", "10.0.17763")
	f.Fuzz(func(t *testing.T, label, kernel string) {
		v := ParseWindowsVersion(label, kernel)
		if (v.Build == "") != (v.Source == BuildUnknown) || (v.Number != 0 && v.Build == "") {
			t.Fatalf("build and source disagree: %+v", v)
		}
		if v.Revision < -1 || v.Number < 0 {
			t.Fatalf("negative numbers: %+v", v)
		}
		if v.Build != "" {
			again := ParseWindowsVersion(v.Build, "")
			if again.Build != v.Build || again.Number != v.Number {
				t.Fatalf("%q read again gives %+v", v.Build, again)
			}
		}
	})
}

func TestProductSupport(t *testing.T) {
	at := func(s string) time.Time {
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	cases := []struct {
		number int
		at     string
		name   string
		phase  SupportPhase
		until  string
	}{
		{26100, "2026-12-01", "Windows Server 2025", SupportMainstream, "2029-11-13"},
		{26100, "2029-11-13", "Windows Server 2025", SupportMainstream, "2029-11-13"},
		{26100, "2029-11-14", "Windows Server 2025", SupportExtended, "2034-11-14"},
		{20348, "2026-10-13", "Windows Server 2022", SupportMainstream, "2026-10-13"},
		{20348, "2026-10-14", "Windows Server 2022", SupportExtended, "2031-10-14"},
		{17763, "2026-12-01", "Windows Server 2019", SupportExtended, "2029-01-09"},
		{17763, "2029-01-10", "Windows Server 2019", SupportEnded, "2029-01-09"},
		{25398, "2026-12-01", "Windows Server, version 23H2", SupportEnded, "2025-10-24"},
	}
	for _, c := range cases {
		p, ok := ProductOf(c.number)
		if !ok || p.Name != c.name {
			t.Fatalf("ProductOf(%d) = %q, %v", c.number, p.Name, ok)
		}
		phase, until := p.Support(at(c.at))
		if phase != c.phase || until.Format(time.DateOnly) != c.until {
			t.Errorf("%s at %s: %s until %s, want %s until %s", p.Name, c.at, phase, until.Format(time.DateOnly), c.phase, c.until)
		}
	}
	if p, ok := ProductOf(26101); ok {
		t.Errorf("build 26101 taken for %q: an unknown build must stay unknown", p.Name)
	}
	if phase, _ := (Product{}).Support(at("2026-12-01")); phase != SupportUnknown {
		t.Errorf("no product has phase %s", phase)
	}
}
