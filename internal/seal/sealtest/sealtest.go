// Package sealtest makes keys for tests.
package sealtest

import "countersign/internal/seal"

// Keys returns the keys of secrets, and panics where they are none.
func Keys(secrets ...[]byte) seal.Keys {
	keys, err := seal.New(secrets...)
	if err != nil {
		panic(err)
	}
	return keys
}
