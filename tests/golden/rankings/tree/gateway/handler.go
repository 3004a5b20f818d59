package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"example.com/parcel/gateway/store"
)

const pageSize = 20

// Handler answers requests about parcels.
type Handler struct {
	parcels store.Store
}

// NewHandler returns a handler over a store.
func NewHandler(parcels store.Store) *Handler {
	return &Handler{parcels: parcels}
}

// ServeHTTP routes GET /parcels and GET /parcels/NUMBER.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	number, isOne := strings.CutPrefix(r.URL.Path, "/parcels/")
	switch {
	case isOne:
		h.getParcel(w, r, number)
	case r.URL.Path == "/parcels":
		h.listParcels(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (h *Handler) getParcel(w http.ResponseWriter, r *http.Request, number string) {
	parcel, err := h.parcels.Find(r.Context(), number)
	if errors.Is(err, store.ErrNotFound) {
		http.Error(w, "no such parcel", http.StatusNotFound)
		return
	}
	writeJSON(w, parcel, err)
}

// listParcels answers one page; pages are counted from 0.
func (h *Handler) listParcels(w http.ResponseWriter, r *http.Request) {
	page, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil || page < 0 {
		page = 0
	}
	parcels, err := h.parcels.List(r.Context(), page*pageSize, pageSize)
	writeJSON(w, parcels, err)
}

func writeJSON(w http.ResponseWriter, value any, err error) {
	if err != nil {
		http.Error(w, "the store is not available", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}
