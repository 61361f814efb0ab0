package findings

import (
	"fmt"
	"strings"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/model/findings"
	"github.com/mullion-tui/mullion/ui/part"
)

// severity is how bad a finding is, for the eye.
type severity struct {
	glyph, word string
	role        part.Role
}

func (s severity) text() string { return s.glyph + " " + s.word }

var (
	critical = severity{part.GlyphBad, findings.Critical.String(), part.Bad}
	warning  = severity{part.GlyphPressure, findings.Warning.String(), part.Warn}
	info     = severity{"○", findings.Info.String(), part.Text}
	// unknown is no severity: nobody can tell how bad it is.
	unknown = severity{part.GlyphUnknown, "unknown", part.Warn}
)

func severityOf(f findings.Finding) severity {
	switch {
	case f.Unknown:
		return unknown
	case f.Severity == findings.Critical:
		return critical
	case f.Severity == findings.Warning:
		return warning
	default:
		return info
	}
}

var kindWords = map[model.Kind]string{
	model.KindNode: "node", model.KindPod: "pod", model.KindRuntimeClass: "runtimeclass", model.KindBudget: "budget",
	model.KindDaemonSet: "daemonset", model.KindReplicaSet: "replicaset", model.KindDeployment: "deployment",
	model.KindStatefulSet: "statefulset", model.KindJob: "job", model.KindCSINode: "csinode", model.KindLease: "lease",
	model.KindNamespace: "namespace", model.KindVolume: "volume", model.KindClaim: "claim", model.KindStorageClass: "storageclass",
	model.KindCertificateRequest: "certificate request", findings.KindContext: "context",
}

// objectText names an object in one word for its kind and one for itself.
func objectText(k model.Key) string {
	if k == (model.Key{}) {
		return "-"
	}
	name := part.Named(k.Name)
	if k.Namespace != "" {
		name = part.Named(k.Namespace) + "/" + name
	}
	if word := kindWords[k.Kind]; word != "" {
		return word + " " + name
	}
	return name
}

// mostRelated bounds the objects that a finding names besides its own.
const mostRelated = 50

func relatedText(keys []model.Key) string {
	var out []string
	for _, k := range keys[:min(len(keys), mostRelated)] {
		out = append(out, objectText(k))
	}
	if more := len(keys) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

func kindTitle(f findings.Finding) string {
	switch {
	case f.Unknown:
		return "not looked at"
	case f.Object.Kind == "":
		return "the cluster"
	default:
		return model.Clean(string(f.Object.Kind))
	}
}
