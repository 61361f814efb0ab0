package model_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/mullion-tui/mullion/model"
)

func TestClean(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain", "win-2025-a", "win-2025-a"},
		{"letters of other scripts", "größe 節点 узел", "größe 節点 узел"},

		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"colour with colons", "\x1b[38:2::1:2:3mx", "x"},
		{"private mode", "\x1b[?1049hx", "x"},
		{"intermediate byte", "\x1b[2 qx", "x"},
		{"C1 rune", "a\u009b31mb", "ab"},
		{"raw C1 byte", "a\x9b31mb", "ab"},
		{"sequence cut off by the end", "a\x1b[31", "a"},
		{"sequence cut off by another", "a\x1b[3\x1b[31mb", "ab"},
		{"sequence with a foreign character", "a\x1b[31é", "aé"},
		{"ESC alone", "a\x1b", "a"},
		{"ESC twice", "a\x1b\x1b[mb", "ab"},
		{"ESC before a letter of another script", "a\x1bé", "aé"},
		{"charset", "a\x1b(0b", "ab"},
		{"save cursor, full reset", "a\x1b7\x1bcb", "ab"},
		{"single shift", "a\x1bOPb\x8fPc\x8e", "abc"},

		{"title ended by BEL", "a\x1b]0;owned\x07b", "ab"},
		{"title ended by ST", "a\x1b]0;owned\x1b\\b", "ab"},
		{"title ended by C1 ST", "a\x1b]0;owned\u009cb", "ab"},
		{"title ended by raw ST", "a\x1b]0;owned\x9cb", "ab"},
		{"clipboard", "a\u009d52;c;ZXZpbA==\x07b", "ab"},
		{"hyperlink", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"device control", "a\x1bPq#0;2;0\x1b\\b", "ab"},
		{"SOS, PM, APC", "a\x1bXx\x1b\\\x1b^x\x1b\\\x1b_x\x1b\\b", "ab"},
		{"string with letters whose bytes look like C1", "a\x1b]0;ü✓\x07b", "ab"},
		{"string without an end hides nothing", "a\x1b]0;the rest", "a0;the rest"},
		{"string aborted by CAN", "a\x1b]0;x\x18b", "ab"},
		{"string aborted by ESC", "a\x1b]0;x\x1b[1mb", "ab"},
		{"ST alone", "a\x1b\\b", "ab"},

		{"line breaks", "a\nb\r\nc\vd\fe\u0085f\u2028g\u2029h\ri", "a b c d e f g h i"},
		{"tab and spaces", "a\tb\u00a0c\u3000d", "a b c d"},
		{"other controls", "a\x00\x07\x08\x7f\u0080b", "ab"},

		{"bidi embedding and override", "a\u202a\u202b\u202c\u202d\u202eb", "ab"},
		{"bidi isolates", "a\u2066\u2067\u2068\u2069b", "ab"},
		{"bidi marks", "a\u200e\u200f\u061cb", "ab"},
		{"right-to-left letters stay", "צומת-א", "צומת-א"},
		{"zero width", "pay\u200bpal\u2060\ufeff", "paypal"},
		{"joiners", "👩\u200d💻 a\u200cb", "👩💻 ab"},
		{"variation selectors", "❤\ufe0f\U000e0100", "❤"},
		{"skin tones", "👍🏽 ok", "👍 ok"},
		{"flags", "🇩🇪 🇨", "DE C"},
		{"Thai and Lao am", "น้ำ ນຳ", "น้ํา ນໍາ"},
		{"halfwidth sound marks", "ｶﾞﾊﾟ", "ｶ゛ﾊ゜"},
		{"tags", "a\U000e0041\U000e007fb", "ab"},
		{"fillers", "a\u3164\u115f\uffa0\u034f\u00adb", "ab"},
		{"drawn format characters stay", "\u0600", "\u0600"},

		{"accents", "e\u0301a\u0323\u0302", "e\u0301a\u0323\u0302"},
		{"flood of marks", "e" + strings.Repeat("\u0301", 50) + "f\u0301", "e\u0301\u0301\u0301\u0301f\u0301"},
		{"flood broken up by invisibles", "e" + strings.Repeat("\u0301\u200b", 50), "e\u0301\u0301\u0301\u0301"},
		{"leading marks", "\u0301\u0302abc", "abc"},

		{"invalid bytes", "a\xff\xfeb", "a\ufffd\ufffdb"},
		{"rune cut off", "a\xe2\x82", "a\ufffd"},
		{"surrogate", "a\xed\xa0\xbdb", "a\ufffd\ufffd\ufffdb"},
		{"overlong escape", "a\xc0\x9b31mb", "a\ufffdb"},
		{"removal joins no bytes", "\xe2\x1b[m\x80\xae", "\ufffd\ufffd"},

		{"as long as may be", strings.Repeat("x", 4096), strings.Repeat("x", 4096)},
		{"too long", strings.Repeat("x", 4097), strings.Repeat("x", 4093) + "…"},
		{"too long, wide", strings.Repeat("節", 2000), strings.Repeat("節", 1364) + "…"},
		{"long but mostly removed", strings.Repeat("\x1b[31m", 4096) + "x", "x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := model.Clean(tc.in); got != tc.want {
				t.Errorf("Clean(%+q)\n got %+q\nwant %+q", tc.in, got, tc.want)
			}
		})
	}
}

func TestCleanLines(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"plain", "one\ntwo\n", "one\ntwo\n"},
		{"every kind of break", "a\r\nb\u0085c\u2028d\ve", "a\nb\nc\nd\ne"},
		{"progress that returns to the line's start", "10%\r20%", "10% 20%"},
		{"escapes", "a\x1b[2J\n\x1b]0;x\x07b", "a\nb"},
		{"mark at the start of a line", "a\n\u0301b", "a\nb"},
		{"longer than a line may be", strings.Repeat("x", 5000), strings.Repeat("x", 5000)},
		{"too long", strings.Repeat("x\n", 40000), strings.Repeat("x\n", 32766) + "x…"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := model.CleanLines(tc.in); got != tc.want {
				t.Errorf("CleanLines(%.80q)\n got %.80q (%d bytes)\nwant %.80q (%d bytes)", tc.in, got, len(got), tc.want, len(tc.want))
			}
		})
	}
}

func TestCleanDoesNotAllocateForPlainText(t *testing.T) {
	for _, s := range []string{"", "aks-win25-000003", strings.Repeat("x", 4096)} {
		if n := testing.AllocsPerRun(100, func() { _ = model.Clean(s) }); n != 0 {
			t.Errorf("Clean of %d plain bytes allocates %v times", len(s), n)
		}
	}
}

// A flood of introducers without an end must not cost their square.
func TestCleanReadsItsInputOnce(t *testing.T) {
	in := strings.Repeat("\u009d", 1<<20)
	if got := model.Clean(in); got != "" {
		t.Errorf("got %.40q", got)
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{
		"node-1", "a\x1b[31mb", "\x9b31m", "\u009d0;x\u009c", "\x1b]8;;x\x1b\\y", "\x1bPq", "a\r\nb\tc",
		"e\u0301\u0301\u0301\u0301\u0301", "\u202eabc", "👩\u200d💻", "\xff\xe2\x82", "\xc0\x9b1m", "\x1b\x1b\x1b[", "節\U000e0041",
		strings.Repeat("é", 3000), "\x1b]0;\x9c\x18", "\u0301", "\xed\xa0\xbd",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		line, lines := model.Clean(in), model.CleanLines(in)
		checkClean(t, in, line, 4<<10, false)
		checkClean(t, in, lines, 64<<10, true)
		if again := model.Clean(line); again != line {
			t.Errorf("Clean(%+q) = %+q, and again %+q", in, line, again)
		}
		if again := model.CleanLines(lines); again != lines {
			t.Errorf("CleanLines(%+q) = %+q, and again %+q", in, lines, again)
		}
	})
}

func checkClean(t *testing.T, in, out string, limit int, newlines bool) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Errorf("%+q became %+q: invalid UTF-8", in, out)
	}
	if len(out) > limit {
		t.Errorf("%+q became %d bytes", in, len(out))
	}
	if stripped := ansi.Strip(out); stripped != out {
		t.Errorf("%+q became %+q, which still holds a sequence: %+q", in, out, stripped)
	}
	marks := 0
	for i, r := range out {
		if unicode.IsControl(r) && !(newlines && r == '\n') {
			t.Errorf("%+q became %+q: control %U at %d", in, out, r, i)
		}
		if unicode.Is(unicode.Bidi_Control, r) {
			t.Errorf("%+q became %+q: bidi control %U at %d", in, out, r, i)
		}
		if unicode.IsMark(r) {
			marks++
		} else {
			marks = 0
		}
		if marks > 4 {
			t.Errorf("%+q became %+q: %d marks at %d", in, out, marks, i)
		}
	}
}

func BenchmarkClean(b *testing.B) {
	for name, s := range map[string]string{
		"plain":   "aks-win25-000003.internal.example",
		"letters": "узел-größe-節点",
		"colour":  "\x1b[31merror:\x1b[0m cannot reach the server",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = model.Clean(s)
			}
		})
	}
}
