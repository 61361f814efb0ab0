package stats

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mullion-tui/mullion/model"
)

var now = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func fromExporter(value int64) model.Figure {
	return model.Figure{Value: value, At: now, Source: model.FromExporter}
}

func id(letter string, n int) string {
	return "containerd://" + strings.Repeat(letter, 4) + strings.Repeat("0", 58) + fmt.Sprintf("%s%d", letter, n)
}

// windowsNode runs the pods of the constructed page.
func windowsNode() *model.NodeView {
	return &model.NodeView{
		Node: &model.Node{Name: "win-1", OS: model.OSWindows},
		Pods: []*model.Pod{
			{Namespace: "monitoring", Name: "windows-exporter-xxxxx", Phase: "Running", Exporter: true, HostProcess: true, Containers: []model.Container{{Name: "windows-exporter", ID: id("c", 3)}}},
			{Namespace: "shop", Name: "unlabelled", Phase: "Running", Containers: []model.Container{{Name: "main", ID: id("b", 2)}}},
			{Namespace: "shop", Name: "web-0", Phase: "Running", Containers: []model.Container{{Name: "web", ID: id("a", 1)}}},
		},
	}
}

func TestExporter031(t *testing.T) {
	u, err := parseExporter(testdata(t, "exporter_0.31_constructed.prom"), windowsNode(), now)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "commit", u.Commit, fromExporter(3221225472))
	check(t, "commit limit", u.CommitLimit, fromExporter(10200547328))
	check(t, "physical", u.Physical, fromExporter(8588865536))
	if want := time.Unix(1740061892, 0).UTC(); !u.Boot.Equal(want) {
		t.Errorf("boot %v, want %v", u.Boot, want)
	}
	web, _ := u.Container("shop", "web-0", "web")
	check(t, "commit by labels", web.Commit, fromExporter(618659840))
	check(t, "private working set", web.WorkingSet, fromExporter(340140032))
	joined, _ := u.Container("shop", "unlabelled", "main")
	check(t, "commit of a series without labels, joined by container ID", joined.Commit, fromExporter(45801472))
	host, _ := u.Container("monitoring", "windows-exporter-xxxxx", "windows-exporter")
	check(t, "commit of a HostProcess container", host.Commit, fromExporter(41943040))
	check(t, "a working set of 0 is not measured", host.WorkingSet, model.Figure{})
	if len(u.Containers) != 3 {
		t.Errorf("%d containers, want 3: the pause container belongs to nobody: %+v", len(u.Containers), u.Containers)
	}
}

// Every spelling of a purpose from 0.20 to 0.31.
func TestExporterNames(t *testing.T) {
	cases := []struct {
		name, page                    string
		commit, limit, physical, boot int64
	}{
		{"0.20 with the collector memory", "windows_memory_committed_bytes 300\nwindows_memory_commit_limit 1000\nwindows_cs_physical_memory_bytes 800\nwindows_system_system_up_time 1.700000001e+09\n", 300, 1000, 800, 1700000001},
		{"0.28 with the defaults alone", "windows_os_virtual_memory_bytes 1000\nwindows_os_virtual_memory_free_bytes 650\nwindows_os_visible_memory_bytes 800\n", 350, 1000, 800, 0},
		{"0.29 has both", "windows_memory_committed_bytes 300\nwindows_memory_commit_limit 1000\nwindows_os_virtual_memory_bytes 1001\nwindows_memory_physical_total_bytes 800\nwindows_cs_physical_memory_bytes 801\n", 300, 1000, 800, 0},
		{"0.30.2 holds the uptime where the boot time should be", "windows_system_boot_time_timestamp_seconds 24948\n", 0, 0, 0, 0},
		{"0.30.6", "windows_system_boot_time_timestamp_seconds 1.743571571e+09\nwindows_system_boot_time_timestamp 1.743571571e+09\n", 0, 0, 0, 1743571571},
		{"more free than there is", "windows_os_virtual_memory_bytes 1000\nwindows_os_virtual_memory_free_bytes 1650\n", 0, 1000, 0, 0},
		{"broken counters", "windows_exporter_collector_success{collector=\"memory\"} 0\nwindows_memory_committed_bytes 0\nwindows_memory_commit_limit NaN\n", 0, 0, 0, 0},
		{"nonsense numbers", "windows_memory_committed_bytes -4\nwindows_memory_commit_limit +Inf\nwindows_memory_physical_total_bytes 1e300\n", 0, 0, 0, 0},
	}
	figure := func(v int64) model.Figure {
		if v == 0 {
			return model.Figure{}
		}
		return fromExporter(v)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			u, err := parseExporter([]byte(c.page), windowsNode(), now)
			if err != nil {
				t.Fatal(err)
			}
			check(t, "commit", u.Commit, figure(c.commit))
			check(t, "commit limit", u.CommitLimit, figure(c.limit))
			check(t, "physical", u.Physical, figure(c.physical))
			if boot := u.Boot; boot.IsZero() != (c.boot == 0) || c.boot != 0 && boot.Unix() != c.boot {
				t.Errorf("boot %v, want %d", boot, c.boot)
			}
		})
	}
}

func TestExporterBefore031JoinsByID(t *testing.T) {
	page := fmt.Sprintf("windows_container_memory_usage_commit_bytes{container_id=\"docker://%s\"} 7\n", bareID(id("a", 1)))
	u, err := parseExporter([]byte(page), windowsNode(), now)
	if err != nil {
		t.Fatal(err)
	}
	web, _ := u.Container("shop", "web-0", "web")
	check(t, "the prefix is not the runtime's", web.Commit, fromExporter(7))
}

// The pages that the project publishes declare what each version has, with the values
// stripped. Given values, each yields the same figures, under the names of its version.
func TestExporterPublishedPages(t *testing.T) {
	values := []struct {
		name  string
		value int64
	}{
		{"windows_memory_commit_limit", 1000}, {"windows_memory_committed_bytes", 300},
		{"windows_os_virtual_memory_bytes", 1001}, {"windows_os_virtual_memory_free_bytes", 703},
		{"windows_memory_physical_total_bytes", 800}, {"windows_cs_physical_memory_bytes", 801}, {"windows_os_visible_memory_bytes", 802},
		{"windows_system_boot_time_timestamp", 1700000001}, {"windows_system_boot_time_timestamp_seconds", 1700000002}, {"windows_system_system_up_time", 1700000003},
	}
	for _, c := range []struct {
		file                          string
		limit, commit, physical, boot int64
	}{
		{"exporter_0.20.0_e2e.txt", 1001, 1001 - 703, 801, 1700000003},
		{"exporter_0.29.2_e2e.txt", 1000, 300, 800, 1700000003},
		{"exporter_0.31.0_e2e.txt", 1000, 300, 800, 1700000001},
	} {
		t.Run(c.file, func(t *testing.T) {
			page := testdata(t, c.file)
			u, err := parseExporter(page, windowsNode(), now)
			if err != nil {
				t.Fatalf("a page of the project's own tests cannot be read: %v", err)
			}
			if u.Commit.Known() || u.CommitLimit.Known() || u.Physical.Known() || !u.Boot.IsZero() {
				t.Errorf("figures of a page without values: %+v", u)
			}
			for _, v := range values {
				if strings.Contains(string(page), "# TYPE "+v.name+" gauge") {
					page = fmt.Appendf(page, "%s %d\n", v.name, v.value)
				}
			}
			if u, err = parseExporter(page, windowsNode(), now); err != nil {
				t.Fatal(err)
			}
			check(t, "commit limit", u.CommitLimit, fromExporter(c.limit))
			check(t, "commit", u.Commit, fromExporter(c.commit))
			check(t, "physical", u.Physical, fromExporter(c.physical))
			if u.Boot.Unix() != c.boot {
				t.Errorf("boot %d, want %d", u.Boot.Unix(), c.boot)
			}
		})
	}
}

func TestExporterBadInput(t *testing.T) {
	for _, body := range []string{"<html>", "windows_memory_commit_limit x\n", "a{b=\"c\" 1\n"} {
		if _, err := parseExporter([]byte(body), windowsNode(), now); err == nil || !strings.Contains(err.Error(), "not a metrics page") {
			t.Errorf("%q: error %v", body, err)
		}
	}
}

func FuzzExporter(f *testing.F) {
	f.Add("windows_memory_committed_bytes 300\nwindows_container_memory_usage_commit_bytes{container_id=\"x\"} 7\n")
	f.Fuzz(func(t *testing.T, body string) {
		u, err := parseExporter([]byte(body), windowsNode(), now)
		if err != nil {
			return
		}
		for _, c := range u.Containers {
			if c.Commit.Known() && c.Commit.Value <= 0 {
				t.Fatalf("commit %+v", c.Commit)
			}
		}
	})
}
