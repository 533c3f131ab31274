package app

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

type object = map[string]any

// otlp encodes spans as an ExportTraceServiceRequest in JSON (OTLP 1, JSON Protobuf
// Encoding).
func otlp(spans []sdktrace.ReadOnlySpan) ([]byte, error) {
	var list, about []any
	for _, s := range spans {
		list = append(list, otlpSpan(s))
		about = otlpAttributes(s.Resource().Attributes())
	}
	return json.Marshal(object{"resourceSpans": []any{object{
		"resource":   object{"attributes": about},
		"scopeSpans": []any{object{"scope": object{"name": "countersign"}, "spans": list}},
	}}})
}

func otlpSpan(s sdktrace.ReadOnlySpan) object {
	span := object{
		"traceId": s.SpanContext().TraceID().String(), "spanId": s.SpanContext().SpanID().String(),
		"name": s.Name(), "kind": int(s.SpanKind()), "attributes": otlpAttributes(s.Attributes()),
		"startTimeUnixNano": strconv.FormatInt(s.StartTime().UnixNano(), 10), "endTimeUnixNano": strconv.FormatInt(s.EndTime().UnixNano(), 10),
	}
	if s.Parent().SpanID().IsValid() {
		span["parentSpanId"] = s.Parent().SpanID().String()
	}
	if s.Status().Code == codes.Error {
		span["status"] = object{"code": 2, "message": s.Status().Description}
	}
	return span
}

func otlpAttributes(all []attribute.KeyValue) []any {
	list := make([]any, len(all))
	for i, a := range all {
		value := object{"stringValue": a.Value.String()}
		if a.Value.Type() == attribute.INT64 {
			value = object{"intValue": strconv.FormatInt(a.Value.AsInt64(), 10)}
		}
		list[i] = object{"key": string(a.Key), "value": value}
	}
	return list
}
