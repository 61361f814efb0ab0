package findings

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mullion-tui/mullion/model"
)

func only(all []Finding, id string) []string {
	return tell(slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return f.ID != id }))
}

// A boot ID that changes while somebody is looking is a reboot, unless a maintenance
// owned the node before or after. The report ends after an hour.
func TestBookSeesAReboot(t *testing.T) {
	node := func(id string, owned bool) *model.Node {
		return windowsNode("w", func(n *model.Node) {
			n.BootID = id
			if owned {
				n.Annotations = map[string]string{model.MaintenanceAnnotation: "{}"}
			}
		})
	}
	for _, tt := range []struct {
		before, after bool // a maintenance owns the node
		id            string
		want          []string
	}{
		{false, false, "9", []string{"F18 warning w: its boot ID changed from 8 to 9 5m ago, and no maintenance owned it"}},
		{false, false, "7", []string{"F18 warning w: its boot ID changed from 8 to 7 5m ago, and no maintenance owned it"}}, // a reimage can make it smaller
		{true, false, "9", nil},
		{false, true, "9", nil},
		{false, false, "8", nil},
		{false, false, "", nil},
	} {
		c, b := model.NewCluster(), &Book{}
		look := func(n *model.Node, after time.Duration) []string {
			c.Apply(model.Delta{Objects: []model.Object{n}})
			return only(b.Find(World{Snapshot: c.Snapshot(), Now: now.Add(after)}), "F18")
		}
		look(node("8", tt.before), 0)
		look(node(tt.id, tt.after), time.Minute)
		if got := look(node(tt.id, false), 6*time.Minute); !slices.Equal(got, tt.want) {
			t.Errorf("%+v: found %q", tt, got)
		}
		if got := only(b.Find(World{Snapshot: c.Snapshot(), Now: now.Add(2 * time.Hour)}), "F18"); len(got) > 0 {
			t.Errorf("%+v: two hours later %q", tt, got)
		}
	}
}

// What time alone changes is said when it is time, without any change of the cluster.
func TestBookLooksAgainInTime(t *testing.T) {
	c, b := model.NewCluster(), &Book{}
	c.Apply(model.Delta{Objects: []model.Object{windowsNode("w", cordoned(0))}})
	s := c.Snapshot()
	for _, step := range []struct {
		after time.Duration
		want  []string
	}{
		{0, nil},
		{longCordon - time.Second, nil},
		{longCordon, []string{"F21 warning w: cordoned for 24h; no maintenance owns it"}},
		{longCordon + time.Hour, []string{"F21 warning w: cordoned for 24h; no maintenance owns it"}},
		{10 * longCordon, []string{"F21 warning w: cordoned for 10d; no maintenance owns it"}},
	} {
		if got := only(b.Find(World{Snapshot: s, Now: now.Add(step.after)}), "F21"); !slices.Equal(got, step.want) {
			t.Errorf("after %s: found %q, want %q", step.after, got, step.want)
		}
	}
}

// Whatever happens to a cluster, a Book that followed it says what one says that sees it
// for the first time. Boot IDs stay as they are: only who followed knows of a change.
func TestBookSaysWhatAFreshLookSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, b := model.NewCluster(), &Book{}
		for i := range rapid.IntRange(1, 12).Draw(t, "steps") {
			now := now.AddDate(0, 0, i) // so that all words about ages are out of date
			c.Apply(model.Delta{Objects: []model.Object{anything(t)}, Gone: gone(t)})
			s := c.Snapshot()
			got, want := tell(b.Find(World{Snapshot: s, Now: now})), tell((&Book{}).Find(World{Snapshot: s, Now: now}))
			if !slices.Equal(got, want) {
				t.Fatalf("found\n%q\na fresh look finds\n%q", got, want)
			}
		}
	})
}

func gone(t *rapid.T) []model.Key {
	if rapid.Bool().Draw(t, "nothing goes") {
		return nil
	}
	return []model.Key{anything(t).Key()}
}

func anything(t *rapid.T) model.Object {
	name := fmt.Sprint("n", rapid.IntRange(0, 2).Draw(t, "name"))
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return windowsNode(name, func(n *model.Node) { n.Unschedulable = rapid.Bool().Draw(t, "cordoned") })
	case 1:
		return linuxNode(name)
	case 2:
		return windowsPod(fmt.Sprint("p", rapid.IntRange(0, 3).Draw(t, "pod")), rapid.SampledFrom([]string{"", "n0", "n1", "n2", "gone"}).Draw(t, "node"), func(p *model.Pod) {
			p.OS = rapid.SampledFrom([]model.OS{"", model.OSLinux, model.OSWindows}).Draw(t, "os")
			p.RuntimeClass = rapid.SampledFrom([]string{"", "c"}).Draw(t, "class")
			p.Phase = rapid.SampledFrom([]string{"Pending", "Running", "Failed"}).Draw(t, "phase")
		})
	case 3:
		return class("c", rapid.SampledFrom([]string{"", "10.0.20348", "10.0.26100"}).Draw(t, "build"), "runhcs-wcow-process")
	case 4:
		return booted(name, 7*time.Minute)
	case 5:
		return daemonSet("kube-proxy-windows")
	default:
		return &model.Lease{Node: name, Renewed: now}
	}
}

// However many templates wait, one look asks the nodes for a few, and the rest keep the
// scheduler's words until it is their turn.
func TestManyPendingTemplates(t *testing.T) {
	const waiting = 4 * answersEach
	c, b := model.NewCluster(), &Book{}
	c.Apply(model.Delta{Objects: []model.Object{linuxNode("l")}})
	for i := range waiting {
		c.Apply(model.Delta{Objects: []model.Object{windowsPod(fmt.Sprintf("p%02d", i), "", pending("0/1 nodes are available"))}})
	}
	for look := 1; look <= 5; look++ {
		found := only(b.Find(World{Snapshot: c.Snapshot(), Now: now}), "F24")
		own := 0
		for _, f := range found {
			if strings.HasSuffix(f, ": 0/1 nodes are available") {
				own++
			}
		}
		if len(found) != waiting || own != max(0, waiting-look*answersEach) {
			t.Errorf("look %d: %d found, %d in the scheduler's words", look, len(found), own)
		}
	}
}

// Whatever is missing from the objects, or contradicts itself, each finding is whole.
func TestFindingsOfOddObjects(t *testing.T) {
	kinds := map[string]bool{}
	for _, r := range Rules() {
		kinds[r.ID] = true
	}
	rapid.Check(t, func(t *rapid.T) {
		c := model.NewCluster()
		var feeds []model.Feed
		for _, k := range model.Kinds {
			feeds = append(feeds, model.Feed{Kind: k, State: model.FeedState(rapid.IntRange(0, 4).Draw(t, "feed")), Listed: rapid.Bool().Draw(t, "listed")})
		}
		for range rapid.IntRange(1, 10).Draw(t, "objects") {
			c.Apply(model.Delta{Objects: []model.Object{oddObject(t)}, Feeds: feeds})
		}
		for _, f := range (&Book{}).Find(World{Snapshot: c.Snapshot(), Now: now}) {
			if !kinds[f.ID] || f.Title == "" || f.Evidence == "" || f.Remedy == "" {
				t.Fatalf("not whole: %+v", f)
			}
		}
	})
}

func oddObject(t *rapid.T) model.Object {
	word := func(label string, words ...string) string {
		return rapid.SampledFrom(append(words, "", "\x1b[31m", "?")).Draw(t, label)
	}
	moment := func(label string) time.Time {
		return rapid.SampledFrom([]time.Time{{}, now, now.Add(-time.Hour), now.AddDate(-40, 0, 0), now.AddDate(40, 0, 0)}).Draw(t, label)
	}
	name := word("name", "a", "b")
	switch rapid.IntRange(0, 8).Draw(t, "kind") {
	case 0:
		return &model.Node{
			Name: name, UID: word("uid", "u"), OS: model.OS(word("os", "windows", "linux")), Windows: model.ParseWindowsVersion(word("label", "10.0.26100"), word("kernel", "10.0.20348.1")),
			BootID: word("boot", "8"), Kubelet: word("kubelet", "v1.37.2"), MaxPods: rapid.IntRange(-1, 110).Draw(t, "max"), PodBlocks: []string{word("block", "10.0.0.0/26", "/", "x/26", "10.0.0.0/99")},
			Unschedulable: rapid.Bool().Draw(t, "cordoned"), Cordoned: moment("cordoned"), Created: moment("created"), Conditions: []model.Condition{{Type: "Ready", Status: word("ready", "True")}},
		}
	case 1:
		return &model.RuntimeClass{Name: name, Handler: word("handler", "runhcs-wcow-hypervisor"), NodeSelector: map[string]string{model.WindowsBuildLabel: word("build", "10.0.26100", "10.0", "10.0.x")}}
	case 2:
		return &model.Workload{Kind: model.KindDaemonSet, Name: name, Template: oddPod(t, word, moment)}
	case 3:
		return &model.CertificateRequest{Name: name, User: word("user", "system:node:"), Created: moment("created")}
	case 4:
		return &model.Usage{Node: name, Boot: moment("boot"), Problems: []string{word("problem")}}
	case 5:
		return &model.Lease{Node: name, Renewed: moment("renewed")}
	case 6:
		return &model.CSINode{Name: name}
	case 7:
		return &model.Claim{Namespace: "", Name: name, Volume: word("volume", "v")}
	default:
		return oddPod(t, word, moment)
	}
}

func oddPod(t *rapid.T, word func(string, ...string) string, moment func(string) time.Time) *model.Pod {
	p := &model.Pod{
		Name: word("pod", "p", "q"), Node: word("node", "a", "b"), OS: model.OS(word("os", "windows", "linux")), RuntimeClass: word("class", "a", "b"), Phase: word("phase", "Pending", "Running", "Failed"),
		State: word("state", wrongOS), Message: word("message", noPlatform, wrongBuildN), Ready: rapid.IntRange(0, 2).Draw(t, "ready"), Total: rapid.IntRange(0, 2).Draw(t, "total"),
		Created: moment("created"), Started: moment("started"), Deleted: moment("deleted"), HostProcess: rapid.Bool().Draw(t, "host"), Owner: model.Owner{Kind: word("owner", "DaemonSet", "ReplicaSet"), Name: word("owner", "a")},
		Containers: []model.Container{{Restarts: 1, Exited: moment("exited"), ExitCode: 255, ExitReason: "Unknown"}},
	}
	if rapid.Bool().Draw(t, "shape") {
		p.Shape = &model.Shape{
			NodeSelector: map[string]string{osLabel: word("selector", "windows", "Linux"), model.WindowsBuildLabel: word("build", "10.0.20348", "10..")},
			Images:       []model.ContainerImage{{Image: word("image", "x:ltsc2025", "HOST:5000/a/b@sha256:0", ":", "@", "x:ltsc2019")}},
			Volumes:      []model.PodVolume{{Kind: word("volume", "csi", "ephemeral", "persistentVolumeClaim"), Driver: word("driver", "d"), Claim: word("claim", "a")}},
			NotOnWindows: []string{word("field")},
		}
	}
	return p
}
