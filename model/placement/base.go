package placement

import (
	"strconv"
	"strings"
)

// Base is the Windows build that an image was made on.
type Base struct {
	Build    int    // 20348; 0 is unknown
	Inferred bool   // read from the tag, which anybody may write as they like; else the manifest says so
	Part     string // of the tag that was read: "ltsc2022"
	Windows  bool   // the name or the manifest says that it is an image for Windows
}

// surely are the words by which only images of Windows name their base.
var surely = map[string]int{
	"ltsc2016": 14393, "sac2016": 14393, "ltsc2019": 17763, "ltsc2022": 20348, "lts2022": 20348, "ltsc2025": 26100,
}

// beside are releases that other software uses as dates and versions too: they count
// only in a name that speaks of Windows.
var beside = map[string]int{
	"1607": 14393, "1709": 16299, "1803": 17134, "1809": 17763, "1903": 18362, "1909": 18363, "2004": 19041,
	"2009": 19042, "20h2": 19042, "21h2": 20348, "23h2": 25398, "24h2": 26100,
}

// windowsWords make a name speak of Windows, as a whole part of its path or tag.
var windowsWords = map[string]bool{
	"windows": true, "windowsservercore": true, "nanoserver": true, "servercore": true, "win": true, "windowsserver": true,
}

// BaseOf reads the build from the tag of an image. A tag that names two builds says
// nothing of either.
func BaseOf(image Image) Base {
	tag := strings.ToLower(image.Tag)
	out := Base{Windows: speaksOfWindows(strings.ToLower(image.Repository)) || speaksOfWindows(tag)}
	for _, part := range strings.FieldsFunc(tag, func(r rune) bool { return r == '-' || r == '_' }) {
		build, word := buildIn(part, out.Windows)
		switch {
		case build == 0:
		case out.Build != 0 && out.Build != build:
			return Base{Windows: true}
		default:
			out = Base{Build: build, Inferred: true, Part: word, Windows: true}
		}
	}
	return out
}

// buildIn looks for a build in one part of a tag.
func buildIn(part string, windows bool) (build int, word string) {
	if rest, ok := strings.CutPrefix(part, "10.0."); ok {
		number, _, _ := strings.Cut(rest, ".")
		// Smaller numbers are versions of other software.
		if n, err := strconv.Atoi(number); err == nil && n >= 14393 && n < 100000 {
			return n, part
		}
	}
	for word := range strings.SplitSeq(part, ".") {
		if b := surely[word]; b != 0 {
			return b, word
		}
		if b := beside[word]; b != 0 && windows {
			return b, word
		}
	}
	return 0, ""
}

func speaksOfWindows(s string) bool {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("/-_.", r) }) {
		if windowsWords[part] || surely[part] != 0 {
			return true
		}
	}
	return false
}

// parseOSVersion reads the build of a manifest's os.version, "10.0.20348.587"; 0 is none.
func parseOSVersion(s string) int {
	parts := strings.Split(s, ".")
	if len(parts) < 3 {
		return 0
	}
	n, err := strconv.Atoi(parts[2])
	if err != nil || n < 0 {
		return 0
	}
	return n
}
