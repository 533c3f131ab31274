package web

import (
	"errors"
	"log/slog"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/request"
)

// accessLog has one line written for each request, also where the connection is given up in
// the middle of its answer (http.ErrAbortHandler).
func (e *edge) accessLog(c *gin.Context) {
	defer e.logged(c, e.Now())
	c.Next()
}

// logged writes the line of a request, with the cause of its error, and counts it. Query
// strings, cookies and bodies stay out of it.
func (e *edge) logged(c *gin.Context, start time.Time) {
	end := e.Now()
	elapsed := end.Sub(start)
	info := request.From(c)
	status := c.Writer.Status()
	level := slog.LevelInfo
	attrs := make([]slog.Attr, 0, 15)
	attrs = append(attrs,
		slog.String("id", info.ID),
		slog.String("method", c.Request.Method),
		slog.String("route", routeOf(c)),
		slog.String("path", c.Request.URL.Path),
		slog.Int("status", status),
		slog.Duration("duration", elapsed),
		slog.Int("bytes", max(0, c.Writer.Size())),
		slog.String("address", info.Address),
	)
	if info.ProxyRequest != "" {
		attrs = append(attrs, slog.String("proxyRequest", info.ProxyRequest))
	}
	if info.TraceParent != "" {
		attrs = append(attrs, slog.String("trace", traceID(info.TraceParent)))
	}
	if info.Person != "" {
		attrs = append(attrs, slog.String("person", info.Person))
	}
	if correlations := info.Correlations(); len(correlations) > 0 {
		attrs = append(attrs, slog.Any("correlation", correlations))
	}
	if calls := info.Calls(); len(calls) > 0 {
		attrs = append(attrs, slog.Any("calls", calls))
	}
	key := ""
	cause := info.Cause
	if f := failureOf(c); f != nil {
		key = string(fault.Disclose(f, request.Audience(c)).Key)
		attrs = append(attrs, slog.String("key", key))
		level, cause = f.MostSpecific().Level, f
	}
	if cause != nil {
		attrs = append(attrs, e.causeOf(c, fault.From(cause), key)...)
	}
	e.Metrics.observe(routeOf(c), c.Request.Method, status, key, e.sampledTrace(info), elapsed)
	e.log(c, slog.NewRecord(end, level, "request", noCaller), attrs)
}

// noCaller saves the lookup of a line's source position, which the log does not show.
const noCaller = 0

func (e *edge) log(c *gin.Context, line slog.Record, attrs []slog.Attr) {
	handler, ctx := e.Logger.Handler(), c.Request.Context()
	if handler.Enabled(ctx, line.Level) {
		line.AddAttrs(attrs...)
		_ = handler.Handle(ctx, line) // a failed log cannot be logged
	}
}

// causeOf returns the log attributes of f, which was answered as key, "" for a success: what
// went wrong beside one need not be an error of ours.
func (e *edge) causeOf(c *gin.Context, f *fault.Error, key string) []slog.Attr {
	var attrs []slog.Attr
	exact := string(f.MostSpecific().Key)
	if answered := key != "" || exact != string(fault.ServerInternal); answered && exact != key {
		attrs = append(attrs, slog.String("specific", exact))
	}
	if f.Untranslated {
		attrs = append(attrs, slog.Bool("untranslated", true))
		e.Metrics.untranslated.WithLabelValues(routeOf(c)).Inc()
	}
	if cause := errors.Unwrap(f); cause != nil {
		attrs = append(attrs, slog.String("cause", cause.Error()))
	}
	return attrs
}

// routeOf returns the route's pattern. All requests without a route share one name, or a
// scanner would fill the metrics.
func routeOf(c *gin.Context) string {
	if path := c.FullPath(); path != "" {
		return path
	}
	return "none"
}

// failureOf returns the error of the request, or nil.
func failureOf(c *gin.Context) *fault.Error {
	if last := c.Errors.Last(); last != nil {
		return faultOf(last.Err)
	}
	return nil
}
