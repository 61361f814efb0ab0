package scenario

import (
	"bufio"
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	yamlutil "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/mullion-tui/mullion/kube/sim/fleet"
)

//go:embed lab/*.yaml lab/manifests/*.yaml
var labFiles embed.FS

// Lab is the cluster of the source articles: one control plane, two Linux workers and one Windows Server 2025 node, as it
// was between two maintenances. Everything in it is well.
func Lab(now time.Time) (*Scenario, error) {
	s := newStage("lab", now)
	if err := s.readNodes(labFiles, "lab/nodes.yaml"); err != nil {
		return nil, fmt.Errorf("scenario lab: %w", err)
	}
	manifests, err := readManifests(labFiles, "lab/manifests")
	if err != nil {
		return nil, fmt.Errorf("scenario lab: %w", err)
	}
	if err := s.readPods(labFiles, "lab/pods.yaml", manifests); err != nil {
		return nil, fmt.Errorf("scenario lab: %w", err)
	}
	if err := s.readMemory(labFiles, "lab/memory.yaml"); err != nil {
		return nil, fmt.Errorf("scenario lab: %w", err)
	}
	return s.finish("the lab of the articles: three Linux nodes, one Windows Server 2025 node, all well"), nil
}

func (s *stage) readNodes(files fs.FS, path string) error {
	var nodes []*Machine
	if err := readYAML(files, path, &nodes); err != nil {
		return err
	}
	for _, m := range nodes {
		s.node(m)
	}
	return nil
}

// group says where the pods of one workload run: the part of a cluster that its manifests do not hold.
type group struct {
	// Of is the workload as Kind/namespace/name, for example Deployment/win-demo/hello-win.
	Of  string          `json:"of"`
	Age metav1.Duration `json:"age"`
	// Hash is the pod-template-hash of the Deployment's ReplicaSet.
	Hash string   `json:"hash"`
	Pods []Placed `json:"pods"`
}

// readPods adds the manifests, and with each workload the pods that the file places.
func (s *stage) readPods(files fs.FS, path string, manifests []runtime.Object) error {
	var groups []group
	if err := readYAML(files, path, &groups); err != nil {
		return err
	}
	placed := map[string]group{}
	for _, g := range groups {
		placed[g.Of] = g
	}
	for _, o := range manifests {
		meta := o.(metav1.Object)
		kind := o.GetObjectKind().GroupVersionKind().Kind
		key := kind + "/" + meta.GetNamespace() + "/" + meta.GetName()
		g := placed[key]
		delete(placed, key)
		o.GetObjectKind().SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("")) // as a typed client returns it
		if err := s.manifest(o, kind, g); err != nil {
			return err
		}
	}
	for key := range placed {
		return fmt.Errorf("%s: there is no manifest of %s", path, key)
	}
	return nil
}

// settled is the age of a manifest that places no pods: those of the lab came with the first workloads.
const settled = 14 * time.Hour

func (s *stage) manifest(o runtime.Object, kind string, g group) error {
	age := g.Age.Duration
	if age == 0 {
		age = settled
	}
	switch o := o.(type) {
	case *corev1.Namespace:
		s.namespace(o.Name, settled, o.Labels)
	case *nodev1.RuntimeClass:
		s.runtimeClass(o, 12*time.Hour)
	case *policyv1.PodDisruptionBudget:
		s.budget(o, settled)
	case *appsv1.Deployment:
		return s.deployment(o, g.Hash, age, g.Pods)
	case *appsv1.DaemonSet:
		return s.daemonSet(o, age, g.Pods)
	case *appsv1.StatefulSet:
		return s.statefulSet(o, age, g.Pods)
	case *corev1.Pod:
		return s.staticPods(o, age, g.Pods)
	default:
		s.add(kind, o.(metav1.Object), age)
	}
	return nil
}

// memoryFile holds what was measured on a cluster: whole nodes, and containers keyed namespace/workload/container.
type memoryFile struct {
	Nodes map[string]struct {
		Physical   size `json:"physical"`
		PageFile   size `json:"pageFile"`
		Commit     size `json:"commit"`
		WorkingSet size `json:"workingSet"`
	} `json:"nodes"`
	Containers map[string]struct {
		Commit     size `json:"commit"`
		WorkingSet size `json:"workingSet"`
	} `json:"containers"`
}

// readMemory writes the machines' profiles. What a node has beyond its known containers is given to its system.
func (s *stage) readMemory(files fs.FS, path string) error {
	var f memoryFile
	if err := readYAML(files, path, &f); err != nil {
		return err
	}
	used := map[string]fleet.ContainerMemory{}
	for _, o := range s.objects {
		pod, ok := o.(*corev1.Pod)
		if !ok {
			continue
		}
		for _, c := range pod.Spec.Containers {
			m := f.Containers[pod.Namespace+"/"+workloadOf(pod)+"/"+c.Name]
			u := used[pod.Spec.NodeName]
			u.Commit += int64(m.Commit)
			u.WorkingSet += int64(m.WorkingSet)
			used[pod.Spec.NodeName] = u
		}
	}
	containers := map[string]fleet.ContainerMemory{}
	for name, c := range f.Containers {
		containers[name] = fleet.ContainerMemory{Commit: int64(c.Commit), WorkingSet: int64(c.WorkingSet)}
	}
	for node, n := range f.Nodes {
		if _, err := s.machine(node); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		p := s.profiles[node]
		p.Containers = containers
		p.Memory = fleet.Memory{
			Physical: int64(n.Physical), PageFile: int64(n.PageFile),
			SystemCommit:     max(0, int64(n.Commit)-used[node].Commit),
			SystemWorkingSet: max(0, int64(n.WorkingSet)-used[node].WorkingSet),
		}
		s.profiles[node] = p
	}
	return nil
}

// workloadOf is the name that a fleet profile calls the pod's workload by.
func workloadOf(pod *corev1.Pod) string {
	owner := metav1.GetControllerOf(pod)
	switch {
	case owner == nil:
		return pod.Name
	case owner.Kind == "ReplicaSet":
		return strings.TrimSuffix(owner.Name, "-"+pod.Labels[hashLabel])
	default:
		return owner.Name
	}
}

func readYAML(files fs.FS, path string, into any) error {
	data, err := fs.ReadFile(files, path)
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalStrict(data, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readManifests reads every document of a folder's files, in the order of their names.
func readManifests(files fs.FS, dir string) ([]runtime.Object, error) {
	entries, err := fs.ReadDir(files, dir)
	if err != nil {
		return nil, err
	}
	var all []runtime.Object
	for _, e := range entries {
		data, err := fs.ReadFile(files, dir+"/"+e.Name())
		if err != nil {
			return nil, err
		}
		objects, err := decodeStrict(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		all = append(all, objects...)
	}
	return all, nil
}

// decodeStrict refuses unknown fields, so that a slip in a manifest does not pass as a missing value.
func decodeStrict(data []byte) ([]runtime.Object, error) {
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme,
		json.SerializerOptions{Yaml: true, Strict: true})
	var all []runtime.Object
	for r := yamlutil.NewYAMLReader(bufio.NewReader(bytes.NewReader(data))); ; {
		doc, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(string(doc)) == "" {
			continue
		}
		o, _, err := strict.Decode(doc, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", len(all)+1, err)
		}
		all = append(all, o)
	}
}
