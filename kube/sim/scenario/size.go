package scenario

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
)

// size is a number of bytes, written as a Kubernetes quantity ("98Mi").
type size int64

// UnmarshalJSON implements json.Unmarshaler.
func (s *size) UnmarshalJSON(data []byte) error {
	var q resource.Quantity
	if err := q.UnmarshalJSON(data); err != nil {
		return fmt.Errorf("size %s: %w", data, err)
	}
	*s = size(q.Value())
	return nil
}
