package account

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/seal"
)

// Activations tell how people's activations of a device stand. The platform is asked once a
// second at most about a person, for all requests on all nodes. What it said stands in Redis
// for that second, beside the answers of a Checker:
//
//	cs:o:{name}    the platform's last answer, sealed; another name than a Checker's
//	cs:o:{name}:l  the lease of the request that asks
//
// All fields are required.
type Activations struct {
	Identity *platform.Client
	// Redis is a client that never sends a script twice, such as redisdb's.
	Redis redis.Cmdable
	// Keys are the session keys.
	Keys seal.Keys
	Now  func() time.Time
}

// activationFor is how long an answer counts.
const activationFor = time.Second

// Status returns how the last activation of a device of person stands.
func (a Activations) Status(ctx context.Context, person string) (platform.ActivationStatus, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askWithin) // others wait for the answer
	defer cancel()
	var failed error
	always := time.UnixMilli(0) // Redis, whose clock is the same for all, forgets an answer
	said, err := newBoard(a.Redis, a.Keys.For("countersign activation of "+person), activationFor).read(ctx, always, always, func() answer {
		at := a.Now().UnixMilli()
		var status platform.ActivationStatus
		status, failed = a.Identity.ActivationStatus(ctx, person)
		return answer{At: at, Failed: failed != nil, Activation: string(status)}
	})
	switch {
	case failed != nil:
		return "", failed
	case err != nil:
		return "", err
	case said.Failed:
		return "", fault.New(fault.PlatformUnavailable).After(activationFor)
	}
	return platform.ActivationStatus(said.Activation), nil
}
