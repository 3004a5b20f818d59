package main

import (
	"errors"
	"os"
	"strconv"
	"strings"
)

// Settings of the gateway, read from the environment.
type Settings struct {
	Address           string
	RequestsPerSecond float64
	Burst             int
	Keys              []string
}

// ErrNoKeys is returned if nobody could ever be authenticated.
var ErrNoKeys = errors.New("GATEWAY_KEYS is empty: set at least one API key")

// LoadSettings reads the environment and fills in defaults.
func LoadSettings() (Settings, error) {
	settings := Settings{Address: ":8080", RequestsPerSecond: 20, Burst: 40}
	if address := os.Getenv("GATEWAY_ADDRESS"); address != "" {
		settings.Address = address
	}
	if rate, err := strconv.ParseFloat(os.Getenv("GATEWAY_RATE"), 64); err == nil {
		settings.RequestsPerSecond = rate
	}
	settings.Keys = strings.FieldsFunc(os.Getenv("GATEWAY_KEYS"), func(r rune) bool { return r == ',' })
	if len(settings.Keys) == 0 {
		return settings, ErrNoKeys
	}
	return settings, nil
}
