package uitest

import (
	"strings"

	"github.com/mullion-tui/mullion/model"
)

// Nasty are strings that try to take over a terminal, each in its own way.
var Nasty = []string{
	"\x1b[2J\x1b[31mred",
	"\x1b]52;c;ZXZpbA==\x07clip",
	"a\nb\r\nc\td",
	"\u202eevil\u202c",
	"\xff\xfe\x80raw",
	"节点-ノード-노드",
	"שלום-عقدة",
	"👩‍👩‍👧‍👦-family",
	"e\u0301\u0301\u0301\u0301\u0301\u0301zalgo",
	strings.Repeat("long-", 2000),
	"\x9b31mc1",
	"\u200b\u200d\ufeff",
	"",
}

// Hostile is a cluster in which every string is one of Nasty.
func Hostile() model.Delta {
	d := model.Delta{At: Now, Server: &model.ServerFacts{Version: Nasty[0], User: Nasty[3]}}
	for i, s := range Nasty {
		t := func(k int) string { return Nasty[(i+k)%len(Nasty)] }
		n := Linux("n"+s, t(1), t(2))
		if i%2 == 0 {
			n = Windows("n"+s, t(1), 0)
			n.Windows = model.ParseWindowsVersion(t(5), t(6))
		}
		if i%3 == 0 {
			n.OS = model.OS(t(4))
		}
		n.OSImage, n.Kernel, n.Kubelet, n.Runtime, n.BootID, n.SystemUUID = t(1), t(2), t(3), t(4), t(5), t(6)
		n.Labels[t(1)], n.Labels["agentpool"] = t(2), t(9)
		n.Taints = []model.Taint{{Key: t(1), Value: t(2), Effect: t(3)}}
		n.Addresses = []model.Address{{Type: t(1), Addr: t(2)}}
		n.Conditions = append(n.Conditions, model.Condition{Type: t(3), Status: "True", Reason: t(4), Message: t(5), Since: Now})
		n.Annotations = map[string]string{model.MaintenanceAnnotation: t(2)}
		p := Pod(t(1), t(2), n.Name, model.Owner{Kind: t(3), Name: t(4)})
		p.State, p.RuntimeClass, p.IP = t(5), t(6), t(7)
		d.Objects = append(d.Objects, n, p,
			&model.RuntimeClass{Name: t(8), NodeSelector: map[string]string{"kubernetes.io/os": "linux"}},
			&model.CSINode{Name: n.Name, Drivers: []string{t(1)}})
	}
	d.Feeds = Synced(map[model.Kind]int{model.KindNode: len(Nasty)})
	d.Feeds[1].State, d.Feeds[1].Error = model.FeedFailing, Nasty[0]+Nasty[2]
	return d
}
