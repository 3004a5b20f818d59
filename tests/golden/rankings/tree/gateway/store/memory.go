package store

import (
	"context"
	"sort"
	"sync"
)

// MemoryStore keeps parcels in memory, for tests and small installations.
type MemoryStore struct {
	mutex   sync.RWMutex
	parcels map[string]Parcel
}

// NewMemoryStore returns an empty store.
func NewMemoryStore() *MemoryStore {
	return &MemoryStore{parcels: map[string]Parcel{}}
}

// Find returns the parcel with a tracking number.
func (s *MemoryStore) Find(_ context.Context, number string) (Parcel, error) {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	parcel, ok := s.parcels[number]
	if !ok {
		return Parcel{}, ErrNotFound
	}
	return parcel, nil
}

// List returns parcels in the order of their numbers.
func (s *MemoryStore) List(_ context.Context, offset, limit int) ([]Parcel, error) {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	all := make([]Parcel, 0, len(s.parcels))
	for _, parcel := range s.parcels {
		all = append(all, parcel)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].TrackingNumber < all[j].TrackingNumber })
	from := min(offset, len(all))
	return all[from:min(from+limit, len(all))], nil
}

// Save adds a parcel or replaces it.
func (s *MemoryStore) Save(_ context.Context, parcel Parcel) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.parcels[parcel.TrackingNumber] = parcel
	return nil
}
