package apiserver

import (
	"fmt"
	"mime"
	"net/http"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"
)

// patch changes an object by a JSON, merge or strategic merge patch. Server-side apply is not offered.
func (s *Server) patch(q *request) error {
	kind, body, err := q.readPatch()
	if err != nil {
		return err
	}
	it, _, err := s.modify(q, func(cur *item) (runtime.Object, error) { return q.patched(cur, kind, body) })
	if err != nil {
		return err
	}
	return q.sendItem(http.StatusOK, it)
}

func (q *request) readPatch() (types.PatchType, []byte, error) {
	contentType := q.r.Header.Get("Content-Type")
	if mediaType, _, err := mime.ParseMediaType(contentType); err == nil {
		contentType = mediaType
	}
	switch kind := types.PatchType(contentType); kind {
	case types.JSONPatchType, types.MergePatchType, types.StrategicMergePatchType:
		body, err := q.body()
		return kind, body, err
	case types.ApplyPatchType, types.ApplyCBORPatchType:
		return "", nil, unsupportedMediaType(string(types.JSONPatchType), string(types.MergePatchType), string(types.StrategicMergePatchType))
	default:
		return "", nil, &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType,
			Reason: metav1.StatusReasonUnsupportedMediaType, Message: "415: Unsupported Media Type", Details: &metav1.StatusDetails{}}}
	}
}

// patched is the successor of cur that the patch makes.
func (q *request) patched(cur *item, kind types.PatchType, patch []byte) (runtime.Object, error) {
	cur, err := q.res.view(cur)
	if err != nil {
		return nil, err
	}
	before, err := envelope(format{info: jsonInfo()}, q.res.gvk, cur)
	if err != nil {
		return nil, err
	}
	obj, err := applyPatch(before, kind, patch, q.res.gvk)
	if err != nil {
		return nil, err
	}
	if obj, err = q.res.store(obj); err != nil {
		return nil, err
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return obj, q.sameName(m)
}

// applyPatch patches an object of the given kind, in JSON, and decodes the result.
func applyPatch(before []byte, kind types.PatchType, patch []byte, of schema.GroupVersionKind) (runtime.Object, error) {
	after, err := patchJSON(before, kind, patch, of)
	if err != nil {
		return nil, err
	}
	obj, _, err := jsonInfo().Serializer.Decode(after, &of, nil)
	if err != nil {
		return nil, apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), string(after), err.Error())})
	}
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return obj, nil
}

func patchJSON(before []byte, kind types.PatchType, patch []byte, of schema.GroupVersionKind) ([]byte, error) {
	switch kind {
	case types.JSONPatchType:
		p, err := jsonpatch.DecodePatch(patch)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		after, err := p.Apply(before)
		if err != nil {
			return nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
		}
		return after, nil
	case types.MergePatchType:
		after, err := jsonpatch.MergePatch(before, patch)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		return after, nil
	default:
		model, err := scheme.Scheme.New(of)
		if err != nil {
			return nil, err
		}
		after, err := strategicpatch.StrategicMergePatch(before, patch, model)
		if err != nil {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
		}
		return after, nil
	}
}
