package middleware

import (
	"net/http"
	"sync"
	"time"
)

// RateLimiter allows each caller so many requests a second, with a token bucket.
type RateLimiter struct {
	mutex   sync.Mutex
	rate    float64
	burst   float64
	buckets map[string]*bucket
	now     func() time.Time
}

type bucket struct {
	tokens float64
	filled time.Time
}

// NewRateLimiter returns a limiter that allows bursts of a given size.
func NewRateLimiter(rate float64, burst int) *RateLimiter {
	return &RateLimiter{rate: rate, burst: float64(burst), buckets: map[string]*bucket{}, now: time.Now}
}

// Allow takes a token of the caller, if one is left.
func (l *RateLimiter) Allow(caller string) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	now := l.now()
	b, ok := l.buckets[caller]
	if !ok {
		b = &bucket{tokens: l.burst, filled: now}
		l.buckets[caller] = b
	}
	b.tokens = min(l.burst, b.tokens+now.Sub(b.filled).Seconds()*l.rate)
	b.filled = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// Limit answers 429 to callers that ask too often.
func (l *RateLimiter) Limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !l.Allow(Caller(r.Context())) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}
