package apiserver

import (
	"fmt"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// matcher decides which objects of a resource a list or a watch sees.
type matcher struct {
	namespace string // empty: all
	labels    labels.Selector
	fields    fields.Selector
}

func (m *matcher) matches(it *item) bool {
	if m.namespace != "" && it.meta.GetNamespace() != m.namespace {
		return false
	}
	if !m.fields.Empty() && !m.fields.Matches(itemFields{it}) {
		return false
	}
	return m.labels.Empty() || m.labels.Matches(labels.Set(it.meta.GetLabels()))
}

// itemFields reads selectable fields straight from the object.
type itemFields struct{ it *item }

func (f itemFields) Has(name string) bool { _, ok := fieldOf(f.it, name); return ok }

func (f itemFields) Get(name string) string { v, _ := fieldOf(f.it, name); return v }

// newMatcher parses the selectors; an unknown field is the client's error, told in the words of the real server.
func newMatcher(r *resource, namespace, labelSelector, fieldSelector string) (*matcher, error) {
	ls, err := labels.Parse(labelSelector)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("unable to parse requirement: %v", err))
	}
	fs, err := fields.ParseSelector(fieldSelector)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	for _, q := range fs.Requirements() {
		if !r.selectable(q.Field) {
			return nil, unknownField(r, q.Field)
		}
	}
	return &matcher{namespace: namespace, labels: ls, fields: fs}, nil
}

func unknownField(r *resource, name string) error {
	if _, custom := selectableFields[r.gvk.Kind]; custom {
		return apierrors.NewBadRequest(fmt.Sprintf("field label not supported: %s", name))
	}
	return apierrors.NewBadRequest(fmt.Sprintf("%q is not a known field selector: only %q, %q", name, "metadata.name", "metadata.namespace"))
}

// selectableFields by kind, besides metadata.name and metadata.namespace (k8s.io/kubernetes pkg/apis/*/v1/conversion.go).
var selectableFields = map[string][]string{
	"Pod": {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
		"status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName"},
	"Node":                      {"spec.unschedulable"},
	"Namespace":                 {"status.phase"},
	"Secret":                    {"type"},
	"Service":                   {"spec.clusterIP", "spec.type"},
	"ReplicationController":     {"status.replicas"},
	"ReplicaSet":                {"status.replicas"},
	"Job":                       {"status.successful"},
	"CertificateSigningRequest": {"spec.signerName"},
	"Event": {"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
		"involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason", "reportingComponent",
		"source", "type",
		"regarding.kind", "regarding.namespace", "regarding.name", "regarding.uid", "regarding.apiVersion",
		"regarding.resourceVersion", "regarding.fieldPath", "reportingController"},
}

func (r *resource) selectable(name string) bool {
	own, custom := selectableFields[r.gvk.Kind]
	switch name {
	case "metadata.name":
		return true
	case "metadata.namespace":
		return r.namespaced || !custom
	}
	return slices.Contains(own, name)
}

func fieldOf(it *item, name string) (string, bool) {
	switch name {
	case "metadata.name":
		return it.meta.GetName(), true
	case "metadata.namespace":
		return it.meta.GetNamespace(), true
	}
	switch o := it.obj.(type) {
	case *corev1.Pod:
		return podField(o, name)
	case *corev1.Event:
		return eventField(o, name)
	case *corev1.Node:
		return strconv.FormatBool(o.Spec.Unschedulable), name == "spec.unschedulable"
	case *corev1.Namespace:
		return string(o.Status.Phase), name == "status.phase"
	case *corev1.Secret:
		return string(o.Type), name == "type"
	case *corev1.Service:
		if name == "spec.type" {
			return string(o.Spec.Type), true
		}
		return o.Spec.ClusterIP, name == "spec.clusterIP"
	case *corev1.ReplicationController:
		return strconv.Itoa(int(o.Status.Replicas)), name == "status.replicas"
	case *appsv1.ReplicaSet:
		return strconv.Itoa(int(o.Status.Replicas)), name == "status.replicas"
	case *batchv1.Job:
		return strconv.Itoa(int(o.Status.Succeeded)), name == "status.successful"
	case *certificatesv1.CertificateSigningRequest:
		return o.Spec.SignerName, name == "spec.signerName"
	}
	return "", false
}

func podField(p *corev1.Pod, name string) (string, bool) {
	switch name {
	case "spec.nodeName":
		return p.Spec.NodeName, true
	case "spec.restartPolicy":
		return string(p.Spec.RestartPolicy), true
	case "spec.schedulerName":
		return p.Spec.SchedulerName, true
	case "spec.serviceAccountName":
		return p.Spec.ServiceAccountName, true
	case "spec.hostNetwork":
		return strconv.FormatBool(p.Spec.HostNetwork), true
	case "status.phase":
		return string(p.Status.Phase), true
	case "status.podIP", "status.podIPs":
		return p.Status.PodIP, true
	case "status.nominatedNodeName":
		return p.Status.NominatedNodeName, true
	}
	return "", false
}

func eventField(e *corev1.Event, name string) (string, bool) {
	switch name {
	case "involvedObject.kind", "regarding.kind":
		return e.InvolvedObject.Kind, true
	case "involvedObject.namespace", "regarding.namespace":
		return e.InvolvedObject.Namespace, true
	case "involvedObject.name", "regarding.name":
		return e.InvolvedObject.Name, true
	case "involvedObject.uid", "regarding.uid":
		return string(e.InvolvedObject.UID), true
	case "involvedObject.apiVersion", "regarding.apiVersion":
		return e.InvolvedObject.APIVersion, true
	case "involvedObject.resourceVersion", "regarding.resourceVersion":
		return e.InvolvedObject.ResourceVersion, true
	case "involvedObject.fieldPath", "regarding.fieldPath":
		return e.InvolvedObject.FieldPath, true
	case "reason":
		return e.Reason, true
	case "reportingComponent", "reportingController":
		return e.ReportingController, true
	case "source":
		if e.Source.Component != "" {
			return e.Source.Component, true
		}
		return e.ReportingController, true
	case "type":
		return e.Type, true
	}
	return "", false
}
