package dump

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	yamlutil "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// maxNesting is how deep lists may hold lists; kubectl writes one level.
const maxNesting = 4

// identity is what may be there once.
type identity struct{ group, kind, namespace, name string }

// reader carries what several files of one dump share.
type reader struct {
	dump *Dump
	seen map[identity]string // where each object was found
	name string              // of the present source
}

func (r *reader) source(name string, data []byte) error {
	r.name = name
	text, err := toUTF8(data)
	if err != nil {
		return err
	}
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 {
		return errors.New("the file is empty")
	}
	if trimmed[0] == '{' {
		return r.json(text)
	}
	return r.yaml(text)
}

// json reads one JSON object after the other.
func (r *reader) json(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	for n := 1; ; n++ {
		var doc json.RawMessage
		err := dec.Decode(&doc)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("document %d: the file ends in the middle of it, after %d bytes: it is truncated", n, len(text))
		case err != nil:
			return fmt.Errorf("document %d, after byte %d: %w", n, dec.InputOffset(), err)
		}
		if err := r.document(fmt.Sprintf("document %d", n), doc, 0); err != nil {
			return err
		}
	}
}

func (r *reader) yaml(text []byte) error {
	docs := yamlutil.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for n := 1; ; n++ {
		doc, err := docs.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		where := fmt.Sprintf("document %d", n)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		asJSON, err := yaml.YAMLToJSON(doc)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if bytes.Equal(asJSON, []byte("null")) {
			continue // only comments, or nothing between two separators
		}
		if err := r.document(where, asJSON, 0); err != nil {
			return err
		}
	}
}

// envelope is what tells a list from an object.
type envelope struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"metadata"`
	Items *[]json.RawMessage `json:"items"`
}

func (r *reader) document(where string, doc []byte, depth int) error {
	var e envelope
	if trimmed := bytes.TrimSpace(doc); len(trimmed) == 0 || trimmed[0] != '{' {
		return fmt.Errorf("%s is not an object: was it written with kubectl get -o json or -o yaml?", where)
	}
	if err := json.Unmarshal(doc, &e); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if e.Kind == "" || e.APIVersion == "" {
		return fmt.Errorf("%s has no apiVersion and kind, so it is not a Kubernetes object", where)
	}
	gv, err := schema.ParseGroupVersion(e.APIVersion)
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	itemKind, isList := strings.CutSuffix(e.Kind, "List")
	if !isList {
		return r.object(where, gv.WithKind(e.Kind), e, doc)
	}
	if depth == maxNesting {
		return fmt.Errorf("%s: lists are nested more than %d deep", where, maxNesting)
	}
	if e.Items == nil {
		return fmt.Errorf("%s: a %s without items: the file is not complete", where, e.Kind)
	}
	for i, item := range *e.Items {
		at := fmt.Sprintf("%s, item %d", where, i+1)
		if itemKind != "" {
			// The items of a typed list do not repeat its kind.
			item, err = withKind(item, e.APIVersion, itemKind)
			if err != nil {
				return fmt.Errorf("%s: %w", at, err)
			}
		}
		if err := r.document(at, item, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// withKind writes apiVersion and kind into an object that has none.
func withKind(item json.RawMessage, apiVersion, kind string) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(item, &fields); err != nil {
		return nil, err
	}
	if fields == nil {
		return item, nil
	}
	for key, value := range map[string]string{"apiVersion": apiVersion, "kind": kind} {
		if _, ok := fields[key]; ok {
			continue
		}
		quoted, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		fields[key] = quoted
	}
	return json.Marshal(fields)
}

func (r *reader) object(where string, from schema.GroupVersionKind, e envelope, doc []byte) error {
	k, ok := kinds[from]
	if !ok {
		r.dump.Skipped[from.Kind+" "+from.GroupVersion().String()]++
		return nil
	}
	if e.Metadata.Name == "" {
		return fmt.Errorf("%s: a %s without a name", where, from.Kind)
	}
	where = fmt.Sprintf("%s (%s %s)", where, from.Kind, strings.TrimPrefix(e.Metadata.Namespace+"/"+e.Metadata.Name, "/"))
	o, err := scheme.Scheme.New(k.gvk)
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if err := utiljson.Unmarshal(doc, o); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	o.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	modernize(o)

	meta := o.(metav1.Object)
	switch {
	case !k.namespaced:
		meta.SetNamespace("")
	case meta.GetNamespace() == "":
		meta.SetNamespace(metav1.NamespaceDefault) // as kubectl apply would
	}
	id := identity{k.gvk.Group, k.gvk.Kind, meta.GetNamespace(), meta.GetName()}
	if first, ok := r.seen[id]; ok {
		return fmt.Errorf("%s: it is there twice, first in %s", where, first)
	}
	r.seen[id] = r.name + ", " + where
	r.dump.Objects = append(r.dump.Objects, o)
	r.dump.note(doc)
	return nil
}
