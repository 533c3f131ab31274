package session

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// shapeKey begins the keys of shapes, one for each name.
const shapeKey = "cs:shape:"

// RememberShape keeps, for every node, what the platform's last real answer of this
// name looked like, with nothing of its person in it: decoys are made in its
// likeness. The error is an outage.
func (s *Store) RememberShape(ctx context.Context, name, shape string) error {
	ctx, cancel := verbContext(ctx)
	defer cancel()
	if err := s.redis.Set(ctx, shapeKey+name, shape, 0).Err(); err != nil {
		return outage(ctx, "remember a shape", err)
	}
	s.shapes.Store(name, shape)
	return nil
}

// RecallShape is what RememberShape last kept under name on any node; false when
// nothing was. A Redis that was emptied is told again by the first node that is
// asked and knows. The error is an outage.
func (s *Store) RecallShape(ctx context.Context, name string) (string, bool, error) {
	shape, err := s.redis.Get(ctx, shapeKey+name).Result()
	switch {
	case errors.Is(err, redis.Nil):
		known, _ := s.shapes.Load(name)
		shape, ok := known.(string)
		if !ok {
			return "", false, nil
		}
		return shape, true, s.RememberShape(ctx, name, shape)
	case err != nil:
		return "", false, outage(ctx, "recall a shape", err)
	}
	s.shapes.Store(name, shape)
	return shape, true, nil
}
