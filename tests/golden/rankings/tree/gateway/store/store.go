// Package store keeps parcels.
package store

import (
	"context"
	"errors"
)

// ErrNotFound is returned for a tracking number that nobody knows.
var ErrNotFound = errors.New("no such parcel")

// Parcel is a parcel as customers see it.
type Parcel struct {
	TrackingNumber string `json:"trackingNumber"`
	Status         string `json:"status"`
}

// Store keeps parcels by their tracking number.
type Store interface {
	Find(ctx context.Context, number string) (Parcel, error)
	List(ctx context.Context, offset, limit int) ([]Parcel, error)
	Save(ctx context.Context, parcel Parcel) error
}
