package apiserver

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// create stores a new object.
func (s *Server) create(q *request) error {
	obj, err := q.decode(q.res.gvk)
	if err != nil {
		return err
	}
	if obj, err = q.res.store(obj); err != nil {
		return err
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if err := q.ownNamespace(m); err != nil {
		return err
	}
	it, err := s.createObject(q, obj, m)
	if err != nil {
		return err
	}
	return q.sendItem(http.StatusCreated, it)
}

func (s *Server) createObject(q *request, obj runtime.Object, m metav1.Object) (*item, error) {
	s.fillNew(q, obj, m)
	if err := s.admit(q, obj, m); err != nil {
		return nil, err
	}
	for {
		generated := m.GetName() == "" && m.GetGenerateName() != ""
		if generated {
			m.SetName(m.GetGenerateName() + s.ids.suffix())
		}
		if err := validateNew(q.res, obj, m); err != nil {
			return nil, err
		}
		it, err := s.insert(q, obj, m)
		if err == nil || !generated || !apierrors.IsAlreadyExists(err) {
			return it, err
		}
		m.SetName("")
	}
}

func (s *Server) insert(q *request, obj runtime.Object, m metav1.Object) (*item, error) {
	old := s.store.get(q.res, objectKey(m.GetNamespace(), m.GetName()))
	if old == nil && q.dryRun {
		return newItem(obj, 0)
	}
	if old == nil {
		it, ok, err := s.store.put(q.res, nil, obj)
		if err != nil || ok {
			return it, err
		}
	}
	err := apierrors.NewAlreadyExists(q.res.groupResource(), m.GetName())
	if old != nil && old.meta.GetDeletionTimestamp() != nil {
		err.ErrStatus.Message = "object is being deleted: " + err.ErrStatus.Message
	}
	return nil, err
}

// ownNamespace makes the object's namespace that of the URL, or refuses a contradiction.
func (q *request) ownNamespace(m metav1.Object) error {
	want := q.namespace
	if !q.res.namespaced {
		want = ""
	}
	switch m.GetNamespace() {
	case want:
	case "":
		m.SetNamespace(want)
	default:
		return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}

// update replaces an object, or its status.
func (s *Server) update(q *request) error {
	obj, err := q.decode(q.res.gvk)
	if err != nil {
		return err
	}
	if obj, err = q.res.store(obj); err != nil {
		return err
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if err := q.sameName(m); err != nil {
		return err
	}
	it, created, err := s.modify(q, func(*item) (runtime.Object, error) { return obj.DeepCopyObject(), nil })
	if err != nil {
		return err
	}
	if created {
		return q.sendItem(http.StatusCreated, it)
	}
	return q.sendItem(http.StatusOK, it)
}

func (q *request) sameName(m metav1.Object) error {
	if m.GetName() != q.name {
		if m.GetName() == "" {
			return apierrors.NewBadRequest("name must be provided")
		}
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", m.GetName(), q.name))
	}
	return q.ownNamespace(m)
}

// modify reads an object, lets next make its successor, applies the rules of updates and stores it; when somebody else
// wrote in between it starts again, as the real server does. next may be called several times and must return a fresh object.
func (s *Server) modify(q *request, next func(*item) (runtime.Object, error)) (it *item, created bool, err error) {
	for {
		cur := s.store.get(q.res, q.key())
		if cur == nil && (!q.res.is(createOnUpdate) || q.verb != "update") {
			return nil, false, q.notFound()
		}
		obj, err := next(cur)
		if err != nil {
			return nil, false, err
		}
		m, err := meta.Accessor(obj)
		if err != nil {
			return nil, false, err
		}
		if cur == nil {
			m.SetResourceVersion("")
			it, err := s.createObject(q, obj, m)
			return it, true, err
		}
		same, err := q.settle(cur, obj, m)
		if err != nil {
			return nil, false, err
		}
		if same {
			return cur, false, nil
		}
		if q.dryRun {
			it, err := newItem(obj, cur.rev)
			return it, false, err
		}
		if finished(cur.meta, m) {
			if _, ok := s.store.remove(q.res, cur); ok {
				it, err := newItem(obj, cur.rev)
				return it, false, err
			}
			continue
		}
		if it, ok, err := s.store.put(q.res, cur, obj); err != nil || ok {
			return it, false, err
		}
	}
}

// finished says that this update takes away the last thing that a deleted object waited for.
func finished(old, m metav1.Object) bool {
	if len(m.GetFinalizers()) > 0 || old.GetDeletionTimestamp() == nil {
		return false
	}
	grace := old.GetDeletionGracePeriodSeconds()
	return grace == nil || *grace == 0
}

var errStale = errors.New("the object has been modified; please apply your changes to the latest version and try again")

// checkVersions compares what the client says it has read with what is there.
func (q *request) checkVersions(cur *item, m metav1.Object) error {
	if uid := m.GetUID(); uid != "" && uid != cur.meta.GetUID() {
		return apierrors.NewConflict(q.res.groupResource(), q.name,
			words("Precondition failed: UID in precondition: %s, UID in object meta: %s", uid, cur.meta.GetUID()))
	}
	switch rv := m.GetResourceVersion(); {
	case rv == cur.meta.GetResourceVersion():
	case rv == "" || rv == "0":
		if q.res.is(needsVersion) {
			kind := q.res.gvk.GroupKind()
			kind.Kind = q.res.plural
			return apierrors.NewInvalid(kind, q.name, field.ErrorList{
				field.Invalid(field.NewPath("metadata", "resourceVersion"), uint64(0), "must be specified for an update")})
		}
		m.SetResourceVersion(cur.meta.GetResourceVersion())
	default:
		if _, err := strconv.ParseUint(rv, 10, 64); err != nil {
			return err // the real server answers 500 with these words
		}
		return apierrors.NewConflict(q.res.groupResource(), q.name, errStale)
	}
	return nil
}
