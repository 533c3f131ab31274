package upstream_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/upstream"
)

type sessionStatus struct {
	SessionStatus string `json:"sessionStatus"`
}

// BenchmarkCall and BenchmarkBareCall make the same exchange with and without this
// package; their quotient shows the package's cost.
func BenchmarkCall(b *testing.B) {
	c := client(b, platform(b, answering(200, "application/json", `{"sessionStatus":"pending"}`)), upstream.Options{Authorization: secret})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			var out sessionStatus
			if err := c.JSON(b.Context(), post, &out); err != nil || out.SessionStatus != "pending" {
				b.Error(out, err)
			}
		}
	})
}

func BenchmarkBareCall(b *testing.B) {
	url := platform(b, answering(200, "application/json", `{"sessionStatus":"pending"}`))
	c := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512}}
	b.Cleanup(c.CloseIdleConnections)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if out, err := bareCall(c, url); err != nil || out.SessionStatus != "pending" {
				b.Error(out, err)
			}
		}
	})
}

func bareCall(c *http.Client, url string) (out sessionStatus, err error) {
	request, err := http.NewRequest(http.MethodPost, url+post.Path, strings.NewReader(`{"timeout":0}`))
	if err != nil {
		return out, err
	}
	request.Header.Set("Authorization", secret)
	response, err := c.Do(request)
	if err != nil {
		return out, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(body, &out)
}
