package apiserver

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// item is one stored object. It never changes: a write makes a new item, so readers need no lock and no copy.
type item struct {
	key  string // namespace/name: the order of lists
	rev  uint64
	obj  runtime.Object // without kind and apiVersion; nobody may write to it
	meta metav1.Object

	// Encoded forms are made when first asked for and shared by every list and watch after that.
	json  atomic.Pointer[[]byte]
	proto atomic.Pointer[[]byte]
}

func newItem(obj runtime.Object, rev uint64) (*item, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, fmt.Errorf("read metadata of %T: %w", obj, err)
	}
	return &item{key: objectKey(m.GetNamespace(), m.GetName()), rev: rev, obj: obj, meta: m}, nil
}

func objectKey(namespace, name string) string { return namespace + "/" + name }

// encodedJSON is the object as JSON without kind and apiVersion, as items stand in a list.
func (i *item) encodedJSON() ([]byte, error) {
	if b := i.json.Load(); b != nil {
		return *b, nil
	}
	b, err := json.Marshal(i.obj)
	if err != nil {
		return nil, fmt.Errorf("encode %s as JSON: %w", i.key, err)
	}
	i.json.Store(&b)
	return b, nil
}

type protoMarshaler interface{ Marshal() ([]byte, error) }

// encodedProto is the bare protobuf message, without the envelope that names its kind.
func (i *item) encodedProto() ([]byte, error) {
	if b := i.proto.Load(); b != nil {
		return *b, nil
	}
	m, ok := i.obj.(protoMarshaler)
	if !ok {
		return nil, fmt.Errorf("encode %s as protobuf: %T has no protobuf form", i.key, i.obj)
	}
	b, err := m.Marshal()
	if err != nil {
		return nil, fmt.Errorf("encode %s as protobuf: %w", i.key, err)
	}
	i.proto.Store(&b)
	return b, nil
}

// shallow copies the outer struct only: enough to give an object another resourceVersion.
func shallow(obj runtime.Object) runtime.Object {
	v := reflect.ValueOf(obj).Elem()
	c := reflect.New(v.Type())
	c.Elem().Set(v)
	return c.Interface().(runtime.Object)
}

// part returns the named field (Spec, Status) of a typed object, or a zero Value.
func part(obj runtime.Object, name string) reflect.Value {
	return reflect.ValueOf(obj).Elem().FieldByName(name)
}

// copyPart puts the named field of from into to. Both must be of one kind.
func copyPart(to, from runtime.Object, name string) {
	if dst := part(to, name); dst.IsValid() {
		dst.Set(part(from, name))
	}
}

func clearPart(obj runtime.Object, name string) {
	if dst := part(obj, name); dst.IsValid() {
		dst.SetZero()
	}
}
