package model

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// WindowsBuildLabel holds major.minor.build of a Windows node (kubelet winstats GetOSVersion).
const WindowsBuildLabel = "node.kubernetes.io/windows-build"

// BuildSource says where a Windows build was read.
type BuildSource int

// The kubelet writes both; older kubelets write only the kernel version.
const (
	BuildUnknown BuildSource = iota
	BuildFromLabel
	BuildFromKernel
	BuildFromBoth
)

// String returns the words that the UI shows.
func (s BuildSource) String() string {
	return [...]string{"unknown", "label only", "kernelVersion only", "label and kernelVersion"}[s]
}

// WindowsVersion is the operating system version of a Windows node.
type WindowsVersion struct {
	Build    string // "10.0.26100"; empty is unknown
	Number   int    // 26100; 0 is unknown
	Revision int    // the update build revision (UBR), grows with every monthly update; -1 is unknown
	Source   BuildSource
	Conflict string // label and kernelVersion disagree, or one of them is not a version; empty is none
}

// ParseWindowsVersion reads the version from the windows-build label and from
// status.nodeInfo.kernelVersion. Where both are there and disagree, the kernel's
// word counts: it comes from the machine, while the label is only set again when
// the kubelet registers. The scheduler follows the label, so the conflict is named.
func ParseWindowsVersion(label, kernel string) WindowsVersion {
	fromLabel, _, labelOK := splitVersion(label)
	fromKernel, revision, kernelOK := splitVersion(kernel)

	v := WindowsVersion{Revision: -1}
	switch {
	case labelOK && kernelOK:
		v.Build, v.Number, v.Source = joinBuild(fromKernel), fromKernel[2], BuildFromBoth
		if fromLabel != fromKernel {
			v.Source = BuildFromKernel
			v.Conflict = fmt.Sprintf("label says %s, kernelVersion says %s", joinBuild(fromLabel), joinBuild(fromKernel))
		}
	case kernelOK:
		v.Build, v.Number, v.Source = joinBuild(fromKernel), fromKernel[2], BuildFromKernel
		if label != "" {
			v.Conflict = fmt.Sprintf("label %q is not a Windows version", label)
		}
	case labelOK:
		v.Build, v.Number, v.Source = joinBuild(fromLabel), fromLabel[2], BuildFromLabel
		if kernel != "" {
			v.Conflict = fmt.Sprintf("kernelVersion %q is not a Windows version", kernel)
		}
	default:
		if label != "" || kernel != "" {
			v.Conflict = fmt.Sprintf("neither label %q nor kernelVersion %q is a Windows version", label, kernel)
		}
	}
	if kernelOK {
		v.Revision = revision
	}
	return v
}

// splitVersion reads major.minor.build and an optional revision. kubectl's wide
// output appends the architecture to the kernel version, and dumps made from it
// do too, so what follows a blank is ignored.
func splitVersion(s string) (build [3]int, revision int, ok bool) {
	s, _, _ = strings.Cut(strings.TrimSpace(s), " ")
	parts := strings.Split(s, ".")
	if len(parts) != 3 && len(parts) != 4 {
		return [3]int{}, -1, false
	}
	numbers := [4]int{3: -1}
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 31)
		if err != nil {
			return [3]int{}, -1, false
		}
		numbers[i] = int(n)
	}
	return [3]int(numbers[:3]), numbers[3], true
}

func joinBuild(b [3]int) string { return fmt.Sprintf("%d.%d.%d", b[0], b[1], b[2]) }

// Product is a Windows Server release with its dates of support.
type Product struct {
	Number     int    // build number: 20348
	Name       string // "Windows Server 2022"
	Short      string // "2022"
	Mainstream time.Time
	Extended   time.Time // zero where the release has no extended support
}

// products holds Microsoft's lifecycle dates; a release is supported until the end
// of that day. 2025 and 2022: seed 003. The others: Microsoft's lifecycle pages.
var products = []Product{
	{14393, "Windows Server 2016", "2016", day(2022, 1, 11), day(2027, 1, 12)},
	{17763, "Windows Server 2019", "2019", day(2024, 1, 9), day(2029, 1, 9)},
	{18363, "Windows Server, version 1909", "1909", day(2021, 5, 11), time.Time{}},
	{19041, "Windows Server, version 2004", "2004", day(2021, 12, 14), time.Time{}},
	{19042, "Windows Server, version 20H2", "20H2", day(2022, 8, 9), time.Time{}},
	{20348, "Windows Server 2022", "2022", day(2026, 10, 13), day(2031, 10, 14)},
	{25398, "Windows Server, version 23H2", "23H2", day(2025, 10, 24), time.Time{}},
	{26100, "Windows Server 2025", "2025", day(2029, 11, 13), day(2034, 11, 14)},
}

func day(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// ProductOf finds the release of a build number. A build that the table does not
// hold is unknown, however near to a known one it is.
func ProductOf(number int) (Product, bool) {
	for _, p := range products {
		if p.Number == number {
			return p, true
		}
	}
	return Product{}, false
}

// SupportPhase is where a release stands in Microsoft's lifecycle.
type SupportPhase string

// The phases of a release; SupportUnknown for a build that the table does not hold.
const (
	SupportUnknown    SupportPhase = "unknown"
	SupportMainstream SupportPhase = "mainstream"
	SupportExtended   SupportPhase = "extended"
	SupportEnded      SupportPhase = "ended"
)

// Support returns the phase at a moment and the day on which it ends, or ended.
func (p Product) Support(at time.Time) (SupportPhase, time.Time) {
	switch {
	case p.Number == 0:
		return SupportUnknown, time.Time{}
	case at.Before(p.Mainstream.AddDate(0, 0, 1)):
		return SupportMainstream, p.Mainstream
	case !p.Extended.IsZero() && at.Before(p.Extended.AddDate(0, 0, 1)):
		return SupportExtended, p.Extended
	case !p.Extended.IsZero():
		return SupportEnded, p.Extended
	default:
		return SupportEnded, p.Mainstream
	}
}
