package scenario

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// hostileText holds what no terminal must ever be sent as it is, by what it would do there.
var hostileText = []struct{ name, text string }{
	{"colour", "\x1b[31;5mred and blinking\x1b[0m"},
	{"clear-screen", "\x1b[2J\x1b[Hgone"},
	{"title", "\x1b]0;you have been renamed\x07"},
	{"clipboard", "\x1b]52;c;cm0gLXJmIC8=\x07"},
	{"link", "\x1b]8;;http://example.com/\x1b\\click\x1b]8;;\x1b\\"},
	{"device-query", "\x1b[c\x1b[6n\x1bZ"},
	{"c1-controls", "\u009b31mC1\u009d0;title\u009c"},
	{"cursor-moves", "over\b\b\b\b\rwritten\x0b\x0c"},
	{"newlines", "one\ntwo\r\nthree\u2028four\u2029five\ttab"},
	{"nul", "before\x00after"},
	{"right-to-left", "\u202edesrever\u202c \u2067שלום עולם\u2069 مرحبا"},
	{"wide", "漢字かな交じり文 한국어 Ｆｕｌｌ"},
	{"emoji", "👩‍👩‍👧‍👦 🏳️‍🌈 🇪🇺 👍🏽"},
	{"combining", "Z̷̢̛͚̗a̵̡̼͝l̶̨̺̈́g̷̺̈́o̶̼̔ e\u0301"},
	{"zero-width", "in\u200bvi\u200csi\u200dble\ufeff\u00ad"},
	{"bad-utf8", "half a \xe6\xbc and \xff\xfe and \xc3("},
	{"10-kilobytes", strings.Repeat("long ", 2048)},
}

// hostileNode writes such strings into the fields of a node that a screen shows.
func hostileNode(m *Machine) *Machine {
	m.Image = "Windows \x1b[31mServer\x1b[0m 2025 \u202eretnecataD\u202c 漢字"
	m.Runtime = "containerd://2.2.2\n\x1b[2J"
	m.ProviderID = "hostile://" + strings.Repeat("x", 2000)
	m.Annotations = map[string]string{"cluster.example.com/note": everything(), Example: "hostile strings"}
	m.NotReady, m.Reason, m.Hold = metav1.Duration{Duration: 90 * time.Minute}, everything(), true
	m.Labels["long"] = strings.Repeat("l", 63)
	return m
}

func everything() string {
	var all strings.Builder
	for _, h := range hostileText {
		if h.name != "10-kilobytes" {
			all.WriteString(h.text + " ")
		}
	}
	return all.String()
}

// hostile fills a namespace with pods that carry such strings wherever the API takes free text, and with the longest names.
func (s *stage) hostile() error {
	for i, h := range hostileText {
		err := s.bare(work{
			ns: "hostile", name: h.name, os: "linux", nodes: []string{[]string{"lin-1", "lin-2"}[i%2]},
			image: "ghcr.io/example/\u200bimage:1", memory: "16Mi",
			edit: func(t *corev1.PodTemplateSpec) {
				t.Annotations = map[string]string{"example.com/text": h.text, Example: "hostile strings"}
				t.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "TEXT", Value: h.text}}
			},
			pod: func(_ int, p *corev1.Pod) {
				waiting(p, "Create"+h.text, h.text)
				p.Status.Reason, p.Status.Message = h.text, h.text
				for i := range p.Status.Conditions {
					p.Status.Conditions[i].Message = h.text
				}
				s.warn(p, "Failed", h.text, i+1, time.Duration(i)*time.Minute)
			},
		})
		if err != nil {
			return err
		}
	}
	s.warn(s.nodes["hostile-1"], "Hostile", everything(), 3, time.Minute)

	long := func(prefix string, n int) string { return prefix + strings.Repeat("-x", (n-len(prefix))/2) }
	namespace := long("hostile-long", 63)
	for i := range 3 {
		err := s.bare(work{
			ns: namespace, name: fmt.Sprintf("%s-%d", long("pod", 250), i), os: "linux",
			image: "docker.io/library/nginx:1.31", memory: "16Mi",
			edit: func(t *corev1.PodTemplateSpec) {
				t.Labels = map[string]string{strings.Repeat("p", 200) + ".example.com/" + strings.Repeat("n", 63): strings.Repeat("v", 63)}
				t.Spec.Containers[0].Name = strings.Repeat("c", 63)
				t.Spec.TerminationGracePeriodSeconds = ptr.To[int64](1 << 31)
			},
		})
		if err != nil {
			return err
		}
	}
	class := windowsClass(long("hostile", 253), "10.0.26100", "runhcs-wcow-process", windowsTaint)
	class.Annotations = map[string]string{"example.com/text": everything()}
	s.runtimeClass(class, 3*day)
	return nil
}
