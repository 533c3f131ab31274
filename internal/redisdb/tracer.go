package redisdb

import (
	"context"

	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// tracer is the hook that makes a span of each call within a traced request. The span
// names the command, but no keys or values.
type tracer struct{ trace.Tracer }

var _ redis.Hook = tracer{}

// DialHook changes nothing.
func (tracer) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook traces one command.
func (t tracer) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) (err error) {
		t.within(ctx, cmd.Name(), func(ctx context.Context) error {
			err = next(ctx, cmd)
			return err
		})
		return err
	}
}

// ProcessPipelineHook traces a pipeline as one.
func (t tracer) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) (err error) {
		t.within(ctx, "pipeline", func(ctx context.Context) error {
			err = next(ctx, cmds)
			return err
		})
		return err
	}
}

// within runs call in a span if ctx belongs to a traced request.
func (t tracer) within(ctx context.Context, command string, call func(context.Context) error) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		_ = call(ctx) // which the caller returns
		return
	}
	ctx, span := t.Start(ctx, "redis "+command, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("db.system.name", "redis"), attribute.String("db.operation.name", command),
	))
	defer span.End()
	if err := call(ctx); outcomeOf(err) != OK {
		span.SetStatus(codes.Error, string(outcomeOf(err)))
	}
}
