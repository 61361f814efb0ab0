package apiserver

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// protoMagic opens every protobuf body of Kubernetes (k8s.io/apimachinery pkg/runtime/serializer/protobuf).
var protoMagic = []byte{'k', '8', 's', 0}

// envelope is the stored object with its kind, in JSON or protobuf.
func envelope(f format, kind schema.GroupVersionKind, it *item) ([]byte, error) {
	if f.proto() {
		raw, err := it.encodedProto()
		if err != nil {
			return nil, err
		}
		return protoEnvelope(kind, raw)
	}
	raw, err := it.encodedJSON()
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(raw)+64)
	out = append(out, kindPrefix(kind)...)
	out = append(out, raw[1:]...)
	return append(out, '\n'), nil
}

func kindPrefix(kind schema.GroupVersionKind) string {
	return fmt.Sprintf(`{"kind":%q,"apiVersion":%q,`, kind.Kind, kind.GroupVersion())
}

func protoEnvelope(kind schema.GroupVersionKind, raw []byte) ([]byte, error) {
	u := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind}, Raw: raw}
	b, err := u.Marshal()
	if err != nil {
		return nil, fmt.Errorf("encode the envelope of %s: %w", kind.Kind, err)
	}
	return append(append(make([]byte, 0, len(protoMagic)+len(b)), protoMagic...), b...), nil
}

// writeList writes a list of stored objects from their encoded forms, without building the list object.
func writeList(w io.Writer, f format, kind schema.GroupVersionKind, m metav1.ListMeta, items []*item) error {
	if f.proto() {
		return writeProtoList(w, kind, m, items)
	}
	head, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode the head of %s: %w", kind.Kind, err)
	}
	if _, err := fmt.Fprintf(w, `%s"metadata":%s,"items":[`, kindPrefix(kind), head); err != nil {
		return err
	}
	for i, it := range items {
		b, err := it.encodedJSON()
		if err != nil {
			return err
		}
		if i > 0 {
			if _, err := w.Write([]byte{','}); err != nil {
				return err
			}
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "]}\n")
	return err
}

// writeProtoList relies on every list message of the API having its metadata in field 1 and its items in field 2.
func writeProtoList(w io.Writer, kind schema.GroupVersionKind, m metav1.ListMeta, items []*item) error {
	head, err := m.Marshal()
	if err != nil {
		return fmt.Errorf("encode the head of %s: %w", kind.Kind, err)
	}
	size := fieldSize(len(head))
	for _, it := range items {
		b, err := it.encodedProto()
		if err != nil {
			return err
		}
		size += fieldSize(len(b))
	}
	types := runtime.TypeMeta{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind}
	typeBytes, err := types.Marshal()
	if err != nil {
		return fmt.Errorf("encode the envelope of %s: %w", kind.Kind, err)
	}
	var open bytes.Buffer
	open.Write(protoMagic)
	open.Write(appendField(nil, 1, typeBytes))
	open.Write(binary.AppendUvarint([]byte{2<<3 | 2}, uint64(size)))
	open.Write(appendField(nil, 1, head))
	if _, err := w.Write(open.Bytes()); err != nil {
		return err
	}
	var scratch []byte
	for _, it := range items {
		b, err := it.encodedProto()
		if err != nil {
			return err
		}
		scratch = appendField(scratch[:0], 2, b)
		if _, err := w.Write(scratch); err != nil {
			return err
		}
	}
	_, err = w.Write(append(appendField(nil, 3, nil), appendField(nil, 4, nil)...))
	return err
}

func fieldSize(n int) int { return 1 + len(binary.AppendUvarint(nil, uint64(n))) + n }

// appendField appends a length-delimited protobuf field with a number under 16.
func appendField(b []byte, number byte, value []byte) []byte {
	b = append(b, number<<3|2)
	b = binary.AppendUvarint(b, uint64(len(value)))
	return append(b, value...)
}
