// Command gateway serves the public HTTP interface.
package main

import (
	"context"
	"log"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"example.com/parcel/gateway/middleware"
	"example.com/parcel/gateway/store"
)

func main() {
	settings, err := LoadSettings()
	if err != nil {
		log.Fatal(err)
	}
	parcels := store.NewMemoryStore()
	handler := NewHandler(parcels)
	limiter := middleware.NewRateLimiter(settings.RequestsPerSecond, settings.Burst)
	server := &http.Server{
		Addr:    settings.Address,
		Handler: middleware.Chain(handler, middleware.Authenticate(settings.Keys), limiter.Limit),
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go shutdownWhenDone(ctx, server)
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		log.Fatal(err)
	}
}

// shutdownWhenDone lets requests in flight end before the process does.
func shutdownWhenDone(ctx context.Context, server *http.Server) {
	<-ctx.Done()
	grace, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = server.Shutdown(grace)
}
