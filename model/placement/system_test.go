package placement

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/mullion-tui/mullion/model"
)

// images replaces those of the pod.
func images(names ...string) func(*stage) {
	return func(s *stage) {
		s.pod.Shape.Images = nil
		for _, n := range names {
			s.pod.Shape.Images = append(s.pod.Shape.Images, model.ContainerImage{Container: "app", Image: n})
		}
	}
}

func host(build string) func(*stage) {
	return func(s *stage) { s.node.Windows = model.ParseWindowsVersion(build, build+".1") }
}

func all(edits ...func(*stage)) func(*stage) {
	return func(s *stage) {
		for _, e := range edits {
			e(s)
		}
	}
}

func linuxNode(s *stage) {
	s.node.OS, s.node.Windows, s.pod.Shape.NodeSelector = model.OSLinux, model.WindowsVersion{}, nil
}

func noOS(s *stage) { s.pod.OS, s.pod.Shape.NodeSelector = model.OSUnknown, nil }

func manifest(versions ...string) func(*stage) {
	return func(s *stage) {
		s.what.OSVersions = func(string) ([]string, bool) { return versions, true }
	}
}

func running(s *stage) {
	s.pod.Node, s.pod.Phase, s.pod.Ready, s.pod.Total = s.node.Name, "Running", 1, 1
}

func TestSystem(t *testing.T) {
	check(t, []verdictCase{
		{"spec.os.name of another system", linuxNode, []string{
			"fails os: the pod is for windows (spec.os.name): a kubelet on linux refuses it with PodOSNotSupported"}},
		{"a pod for Linux on Windows", func(s *stage) { s.pod.OS, s.pod.Shape.NodeSelector = model.OSLinux, nil }, []string{
			"fails os: the pod is for linux (spec.os.name): a kubelet on windows refuses it with PodOSNotSupported"}},
		{"an image for Windows on Linux, and no OS said", all(noOS, linuxNode), []string{
			"fails os: the pod is for windows, inferred from the name of image shop/web:1-ltsc2022; nothing of it starts on linux"}},
		{"a HostProcess pod on Linux", all(noOS, images("x"), linuxNode, func(s *stage) { s.pod.HostProcess = true }), []string{
			"fails os: the pod is for windows, inferred from it is a HostProcess pod; nothing of it starts on linux"}},
		{"nothing said, on Windows", all(noOS, images("shop/web:1")), []string{
			"doubt os: nothing says that the pod is for Windows: with an image for Linux it hangs in ErrImagePull"}},
		{"nothing said, on Linux", all(noOS, images("shop/web:1"), linuxNode), nil},
		{"nothing said, and it runs here", all(noOS, images("shop/web:1"), running), nil},
		{"nothing said, and it does not run here", all(noOS, images("shop/web:1"), running, func(s *stage) { s.pod.Ready = 0 }), []string{
			"doubt os: nothing says that the pod is for Windows: with an image for Linux it hangs in ErrImagePull"}},
		{"a node of no known system", func(s *stage) { s.node.OS = model.OSUnknown }, []string{"doubt os: the operating system of the node is not known"}},
	})
}

func TestBuilds(t *testing.T) {
	const doubt = "doubt windowsBuild: the Windows build of image shop/web:latest is not known: it may fail at start"
	check(t, []verdictCase{
		{"its own build", host("10.0.20348"), nil},
		{"an older host", host("10.0.17763"), []string{
			"fails windowsBuild: a host of build 10.0.17763 cannot run image shop/web:1-ltsc2022, which is built on 10.0.20348 (inferred from its tag)"}},
		{"2022 on 2025", host("10.0.26100"), []string{
			"note windowsBuild: image shop/web:1-ltsc2022 is built on 10.0.20348 (inferred from its tag): that it runs on a host of build 10.0.26100 is an exception, not to build on"}},
		{"2022 on 2025, and it runs here", all(host("10.0.26100"), running), []string{
			"note windowsBuild: image shop/web:1-ltsc2022 is built on 10.0.20348 (inferred from its tag): that it runs on a host of build 10.0.26100 is an exception, not to build on"}},
		{"a tag that cannot be right: it runs here", all(host("10.0.17763"), running), nil},
		{"2019 on 2025", all(host("10.0.26100"), images("shop/web:ltsc2019")), []string{
			"fails windowsBuild: a host of build 10.0.26100 cannot run image shop/web:ltsc2019, which is built on 10.0.17763 (inferred from its tag)"}},
		{"2025 on a newer host", all(host("10.0.29000"), images("shop/web:ltsc2025")), nil},
		{"a HostProcess pod fits every build", all(host("10.0.17763"), func(s *stage) { s.pod.HostProcess = true }), nil},
		{"a tag that says nothing", images("shop/web:latest"), []string{doubt}},
		{"a tag that says nothing, and it runs here", all(images("shop/web:latest"), running), nil},
		{"several images are each told, once", images("shop/web:latest", "shop/web:latest", "shop/log:1809", "windows/nanoserver:1809"), []string{
			doubt,
			"doubt windowsBuild: the Windows build of image shop/log:1809 is not known: it may fail at start",
			"fails windowsBuild: a host of build 10.0.20348 cannot run image windows/nanoserver:1809, which is built on 10.0.17763 (inferred from its tag)"}},
		{"a host of no known build", func(s *stage) { s.node.Windows = model.WindowsVersion{} }, []string{
			"doubt windowsBuild: the Windows build of the node is not known: image shop/web:1-ltsc2022 may fail at start"}},
		{"the manifest goes before the tag", manifest("10.0.17763.100", "10.0.20348.587"), nil},
		{"a manifest of one other build", manifest("10.0.17763.100"), []string{
			"fails windowsBuild: a host of build 10.0.20348 cannot run image shop/web:1-ltsc2022, which is built on 10.0.17763 (says its manifest)"}},
		{"a manifest of two others", manifest("10.0.17763.100", "10.0.26100.1"), []string{
			"fails windowsBuild: a host of build 10.0.20348 cannot run image shop/web:1-ltsc2022, which has no entry for it in its manifest"}},
		{"a manifest without os.version", manifest(""), []string{
			"doubt windowsBuild: image shop/web:1-ltsc2022 has no os.version in its manifest: any host pulls it, and it may fail at start"}},
		{"a manifest with nothing for Windows", manifest(), []string{
			"fails windowsBuild: a host of build 10.0.20348 cannot run image shop/web:1-ltsc2022, which has no entry for it in its manifest"}},
		{"Hyper-V isolation", all(host("10.0.26100"), func(s *stage) {
			s.pod.RuntimeClass = "hv"
			s.objects = append(s.objects, &model.RuntimeClass{Name: "hv", Handler: "runhcs-wcow-hypervisor"})
		}), []string{"note windowsBuild: Hyper-V isolation runs images of other builds; Kubernetes neither tests nor supports it"}},
		{"a manifest that is not known", func(s *stage) { s.what.OSVersions = func(string) ([]string, bool) { return nil, false } }, nil},
	})
}

func TestClass(t *testing.T) {
	class := func(selector map[string]string) func(*stage) {
		return func(s *stage) {
			s.pod.RuntimeClass = "windows"
			s.objects = append(s.objects, &model.RuntimeClass{Name: "windows", NodeSelector: selector})
		}
	}
	check(t, []verdictCase{
		{"a class that admits the node", class(map[string]string{"kubernetes.io/os": "windows"}), nil},
		{"a class without scheduling", class(nil), nil},
		{"a class that has become stricter", class(map[string]string{"kubernetes.io/os": "windows", model.WindowsBuildLabel: "10.0.26100"}), []string{
			"note runtimeClass: the pod is older than RuntimeClass windows is now: a new pod would not come here; " +
				"the node selector asks for " + model.WindowsBuildLabel + "=10.0.26100"}},
		{"stricter, and the node has it", class(map[string]string{"topology.kubernetes.io/zone": "a"}), nil},
		{"a class that is gone", func(s *stage) { s.pod.RuntimeClass = "gone" }, []string{
			"fails runtimeClass: RuntimeClass gone does not exist: the kubelet starts no pod of it"}},
		{"classes that may not be listed", func(s *stage) { s.pod.RuntimeClass, s.blind = "x", []model.Kind{model.KindRuntimeClass} }, []string{
			"doubt runtimeClass: RuntimeClass x cannot be looked at: runtimeclasses is forbidden"}},
	})
}

func TestEffectOfClass(t *testing.T) {
	windows := corev1.Toleration{Key: "os", Operator: "Equal", Value: "windows", Effect: "NoSchedule"}
	gpu := corev1.Toleration{Key: "gpu", Operator: "Exists"}
	class := &model.RuntimeClass{Name: "w", Handler: "runhcs-wcow-process", NodeSelector: map[string]string{"os": "windows", "build": "20348"},
		Tolerations: []corev1.Toleration{windows, gpu}, Overhead: model.Resources{Memory: gib}}
	for _, tt := range []struct {
		name  string
		shape *model.Shape
		want  string
		older bool
	}{
		{"all of it", &model.Shape{NodeSelector: class.NodeSelector, Tolerations: class.Tolerations, Overhead: class.Overhead},
			"has build=20348 os=windows; tolerates os=windows:NoSchedule gpu; lacks ; lacks ", false},
		{"covered by a wider toleration", &model.Shape{NodeSelector: class.NodeSelector, Tolerations: []corev1.Toleration{{Operator: "Exists"}}, Overhead: class.Overhead},
			"has build=20348 os=windows; tolerates os=windows:NoSchedule gpu; lacks ; lacks ", false},
		{"another build", &model.Shape{NodeSelector: map[string]string{"os": "windows", "build": "17763"}, Tolerations: class.Tolerations, Overhead: class.Overhead},
			"has os=windows; tolerates os=windows:NoSchedule gpu; lacks build=20348; lacks ", true},
		{"another value tolerated", &model.Shape{NodeSelector: class.NodeSelector, Tolerations: []corev1.Toleration{{Key: "os", Operator: "Equal", Value: "Windows"}, gpu}, Overhead: class.Overhead},
			"has build=20348 os=windows; tolerates gpu; lacks ; lacks os=windows:NoSchedule", true},
		{"another overhead", &model.Shape{NodeSelector: class.NodeSelector, Tolerations: class.Tolerations},
			"has build=20348 os=windows; tolerates os=windows:NoSchedule gpu; lacks ; lacks ", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := EffectOf(class, &model.Pod{RuntimeClass: "w", Shape: tt.shape})
			got := "has " + strings.Join(e.Selector, " ") + "; tolerates " + strings.Join(e.Tolerations, " ") +
				"; lacks " + strings.Join(e.LacksSelector, " ") + "; lacks " + strings.Join(e.LacksTolerations, " ")
			if got != tt.want || e.Older() != tt.older {
				t.Errorf("%s, older %v; want %s, %v", got, e.Older(), tt.want, tt.older)
			}
		})
	}
	if e := EffectOf(class, &model.Pod{RuntimeClass: "w"}); e.Older() {
		t.Error("a pod of which nothing is known is older than its class")
	}
}
