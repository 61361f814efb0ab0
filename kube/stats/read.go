package stats

import (
	"fmt"
	"io"
	"net/http"
)

// maxAnswer bounds, in bytes, what is read of one answer.
const maxAnswer = 64 << 20

func readLimited(res *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", res.Request.URL.Host, err)
	}
	if res.StatusCode != http.StatusOK {
		return body, fmt.Errorf("%s answers %s", res.Request.URL.Host, res.Status)
	}
	return body, nil
}
