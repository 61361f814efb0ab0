package apiserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
)

// kubectl shows what the server puts into tables. Nodes and pods have the columns that operators know; other kinds have a
// name and an age.

var tableKind = metav1.SchemeGroupVersion.WithKind("Table")

// column is one of a kind's table. Wide ones are shown on demand.
type column struct {
	name string
	wide bool
	cell func(obj runtime.Object, now time.Time) any
}

func (c column) definition() metav1.TableColumnDefinition {
	d := metav1.TableColumnDefinition{Name: c.name, Type: "string"}
	if c.wide {
		d.Priority = 1
	}
	if c.name == nameColumn.name {
		d.Format = "name"
	}
	return d
}

func cellsOf[T runtime.Object](f func(T) any) func(runtime.Object, time.Time) any {
	return func(obj runtime.Object, _ time.Time) any { return f(obj.(T)) }
}

func age(obj runtime.Object, now time.Time) any {
	created := obj.(metav1.Object).GetCreationTimestamp()
	if created.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(now.Sub(created.Time))
}

var (
	nameColumn = column{name: "Name", cell: func(obj runtime.Object, _ time.Time) any { return obj.(metav1.Object).GetName() }}
	ageColumn  = column{name: "Age", cell: age}

	tableColumns = map[string][]column{
		"Node": {nameColumn,
			{name: "Status", cell: cellsOf(nodeStatus)}, {name: "Roles", cell: cellsOf(nodeRoles)}, ageColumn,
			{name: "Version", cell: cellsOf(func(n *corev1.Node) any { return n.Status.NodeInfo.KubeletVersion })},
			{name: "OS-Image", wide: true, cell: cellsOf(func(n *corev1.Node) any { return n.Status.NodeInfo.OSImage })},
			{name: "Kernel-Version", wide: true, cell: cellsOf(func(n *corev1.Node) any { return n.Status.NodeInfo.KernelVersion })}},
		"Pod": {nameColumn,
			{name: "Ready", cell: cellsOf(podContainersReady)}, {name: "Status", cell: cellsOf(podStatusWord)},
			{name: "Restarts", cell: cellsOf(podRestarts)}, ageColumn,
			{name: "IP", wide: true, cell: cellsOf(func(p *corev1.Pod) any { return p.Status.PodIP })},
			{name: "Node", wide: true, cell: cellsOf(func(p *corev1.Pod) any { return p.Spec.NodeName })}},
	}
)

func columnsOf(r *resource) []column {
	if c, ok := tableColumns[r.gvk.Kind]; ok {
		return c
	}
	return []column{nameColumn, ageColumn}
}

// tableOf makes the table of the items; the definitions of its columns are left out where a client has them already.
func (q *request) tableOf(head metav1.ListMeta, items []*item, define bool) (*metav1.Table, error) {
	columns := columnsOf(q.res)
	t := &metav1.Table{ListMeta: head, ColumnDefinitions: []metav1.TableColumnDefinition{}, Rows: []metav1.TableRow{}}
	if define {
		for _, c := range columns {
			t.ColumnDefinitions = append(t.ColumnDefinitions, c.definition())
		}
	}
	for _, it := range items {
		row := metav1.TableRow{}
		for _, c := range columns {
			row.Cells = append(row.Cells, c.cell(it.obj, q.now))
		}
		bare := meta.AsPartialObjectMetadata(it.meta)
		bare.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata"))
		raw, err := json.Marshal(bare)
		if err != nil {
			return nil, fmt.Errorf("encode the metadata of %s: %w", it.key, err)
		}
		row.Object.Raw = raw
		t.Rows = append(t.Rows, row)
	}
	t.SetGroupVersionKind(tableKind)
	return t, nil
}

func (q *request) sendTable(code int, head metav1.ListMeta, items []*item) error {
	t, err := q.tableOf(head, items, true)
	if err != nil {
		return err
	}
	return q.send(code, tableKind, t)
}

// tableEvent is the object of a watch event for a client that wants tables.
func (st *stream) tableEvent(it *item) (*item, error) {
	t, err := st.q.tableOf(metav1.ListMeta{ResourceVersion: it.meta.GetResourceVersion()}, []*item{it}, !st.defined)
	if err != nil {
		return nil, err
	}
	st.defined = true
	t.TypeMeta = metav1.TypeMeta{}
	return &item{key: it.key, obj: t}, nil
}

func nodeStatus(n *corev1.Node) any {
	word := "Unknown"
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
			word = "Ready"
		} else if c.Type == corev1.NodeReady {
			word = "NotReady"
		}
	}
	if n.Spec.Unschedulable {
		word += ",SchedulingDisabled"
	}
	return word
}

func nodeRoles(n *corev1.Node) any {
	var roles []string
	for label := range n.Labels {
		if role, ok := strings.CutPrefix(label, "node-role.kubernetes.io/"); ok && role != "" {
			roles = append(roles, role)
		}
	}
	if len(roles) == 0 {
		return "<none>"
	}
	slices.Sort(roles)
	return strings.Join(roles, ",")
}

func podContainersReady(p *corev1.Pod) any {
	ready := 0
	for _, c := range p.Status.ContainerStatuses {
		if c.Ready {
			ready++
		}
	}
	return fmt.Sprintf("%d/%d", ready, len(p.Spec.Containers))
}

func podRestarts(p *corev1.Pod) any {
	n := int32(0)
	for _, c := range p.Status.ContainerStatuses {
		n += c.RestartCount
	}
	return fmt.Sprint(n)
}

// podStatusWord is the phase, or what says more: why a container waits or ended, or that the pod is going.
func podStatusWord(p *corev1.Pod) any {
	word := string(p.Status.Phase)
	if p.Status.Reason != "" {
		word = p.Status.Reason
	}
	for _, c := range p.Status.ContainerStatuses {
		switch {
		case c.State.Waiting != nil && c.State.Waiting.Reason != "":
			word = c.State.Waiting.Reason
		case c.State.Terminated != nil && c.State.Terminated.Reason != "":
			word = c.State.Terminated.Reason
		}
	}
	if p.DeletionTimestamp != nil {
		word = "Terminating"
	}
	return word
}
