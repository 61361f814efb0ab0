package sim

import (
	"context"
	"net/http/httptrace"
)

// traceSent closes the channel when the request has been written to the connection.
func traceSent(ctx context.Context, sent chan struct{}) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { close(sent) },
	})
}
