// Package middleware wraps handlers.
package middleware

import "net/http"

// Middleware wraps a handler in another.
type Middleware func(http.Handler) http.Handler

// Chain applies middleware so that the first one sees a request first.
func Chain(handler http.Handler, all ...Middleware) http.Handler {
	for i := len(all) - 1; i >= 0; i-- {
		handler = all[i](handler)
	}
	return handler
}
