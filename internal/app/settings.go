package app

import (
	"errors"
	"slices"
	"strings"

	"countersign/internal/config"
	identityapi "countersign/internal/identity/platform"
	"countersign/internal/redisdb"
	signingapi "countersign/internal/signing/platform"
	verificationapi "countersign/internal/verification/platform"
)

// Settings reads the settings from environ, which has NAME=value strings; readFile is
// os.ReadFile. The error is config.Problems; valid settings are returned all the same.
func Settings(environ []string, readFile func(string) ([]byte, error)) (config.Config, error) {
	cfg, err := config.Load(environ, readFile, platformPaths()...)
	known, _ := errors.AsType[config.Problems](err)
	if cfg.EmbeddedRedis() || known.About("REDIS_") {
		return cfg, err
	}
	if wrong := redisdb.Check(redisOptions(cfg.Redis)); wrong != nil {
		return cfg, known.And("REDIS_URL", wrong)
	}
	if ignored := redisdb.Ignored(cfg.Redis.URL); len(ignored) > 0 {
		cfg = cfg.Warned("REDIS_URL", "these of its parameters have no effect: "+strings.Join(ignored, ", "))
	}
	return cfg, err
}

// redisOptions returns the address and the connection settings of Redis.
func redisOptions(r config.Redis) redisdb.Options {
	return redisdb.Options{
		URL: r.URL, Mode: r.Mode, Prefix: r.Prefix, TLS: r.TLS(),
	}
}

// platformPaths returns the operations of the platform whose paths a setting may replace.
func platformPaths() []config.Path {
	return slices.Concat(identityapi.Paths(), signingapi.Paths(), verificationapi.Paths())
}

// KnownPaths returns the templates of the platform's paths.
func KnownPaths() []string {
	var all []string
	for _, p := range platformPaths() {
		all = append(all, p.Default)
	}
	return all
}
