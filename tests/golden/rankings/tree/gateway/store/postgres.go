package store

import (
	"context"
	"database/sql"
	"errors"
)

// PostgresStore keeps parcels in a table of PostgreSQL.
type PostgresStore struct {
	db *sql.DB
}

// NewPostgresStore returns a store over an open database.
func NewPostgresStore(db *sql.DB) *PostgresStore {
	return &PostgresStore{db: db}
}

// Find returns the parcel with a tracking number.
func (s *PostgresStore) Find(ctx context.Context, number string) (Parcel, error) {
	var parcel Parcel
	row := s.db.QueryRowContext(ctx, "SELECT number, status FROM parcels WHERE number = $1", number)
	err := row.Scan(&parcel.TrackingNumber, &parcel.Status)
	if errors.Is(err, sql.ErrNoRows) {
		return Parcel{}, ErrNotFound
	}
	return parcel, err
}

// List returns parcels in the order of their numbers.
func (s *PostgresStore) List(ctx context.Context, offset, limit int) ([]Parcel, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT number, status FROM parcels ORDER BY number LIMIT $1 OFFSET $2", limit, offset)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var parcels []Parcel
	for rows.Next() {
		var parcel Parcel
		if err := rows.Scan(&parcel.TrackingNumber, &parcel.Status); err != nil {
			return nil, err
		}
		parcels = append(parcels, parcel)
	}
	return parcels, rows.Err()
}

// Save adds a parcel or replaces it.
func (s *PostgresStore) Save(ctx context.Context, parcel Parcel) error {
	const upsert = `INSERT INTO parcels (number, status) VALUES ($1, $2)
		ON CONFLICT (number) DO UPDATE SET status = EXCLUDED.status`
	_, err := s.db.ExecContext(ctx, upsert, parcel.TrackingNumber, parcel.Status)
	return err
}
