package middleware

import (
	"testing"
	"time"
)

func TestBucketsFillAgain(t *testing.T) {
	now := time.Unix(0, 0)
	limiter := NewRateLimiter(1, 1)
	limiter.now = func() time.Time { return now }
	if !limiter.Allow("a") || limiter.Allow("a") {
		t.Fatal("one request is allowed, the second is not")
	}
	now = now.Add(time.Second)
	if !limiter.Allow("a") {
		t.Fatal("a second later there is a token again")
	}
}
