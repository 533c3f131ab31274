package platform_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/signing"
	signingapi "countersign/internal/signing/platform"
)

// typical is a package of about 4 KiB.
func typical(i int) string {
	role := `{"id":"role%d","index":%[1]d,"type":"SIGNER","name":"Role %[1]d","reassign":false,"signers":[{"id":"s%[1]d","email":"signer%[1]d@bench.internal","firstName":"Given","lastName":"Family"}],"emailMessage":{"content":""}}`
	document := `{"id":"d%d","name":"Document %[1]d","index":%[1]d,"extract":false,"pages":[{"index":0,"width":612.0,"height":792.0}],"approvals":[{"id":"a","role":"role0","signed":null,"fields":[{"type":"SIGNATURE","subtype":"FULLNAME","page":0,"top":10.5,"left":10.5,"width":200,"height":50}]}]}`
	var roles, documents []string
	for n := range 4 {
		roles, documents = append(roles, fmt.Sprintf(role, n)), append(documents, fmt.Sprintf(document, n))
	}
	return fmt.Sprintf(`{"id":"p%d","name":"Bench","status":"SENT","type":"PACKAGE","created":"2030-01-01T00:00:00Z","description":%q,"roles":[%s],"documents":[%s],"data":{"countersign":{"owner":"alice@sandbox"}}}`,
		i, strings.Repeat("Lorem ipsum. ", 100), strings.Join(roles, ","), strings.Join(documents, ","))
}

// BenchmarkPublic measures how long a package takes to lose what is ours.
func BenchmarkPublic(b *testing.B) {
	text := typical(0)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := signingapi.Public(jsontext.Value(text)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkExport measures the reading of 10 000 packages, in windows of a hundred.
func BenchmarkExport(b *testing.B) {
	results := make([]string, 10_000)
	for i := range results {
		results[i] = typical(i)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		var from, to int
		_, _ = fmt.Sscan(q.Get("from"), &from)
		_, _ = fmt.Sscan(q.Get("to"), &to)
		fmt.Fprintf(w, `{"count":%d,"results":[%s]}`, len(results), strings.Join(results[from-1:min(to, len(results))], ","))
	}))
	defer server.Close()
	c := clientOf(b, server.URL)
	for b.Loop() {
		n := 0
		for _, err := range c.Lister(signing.Query{}).Public(b.Context()) {
			if n++; err != nil {
				b.Fatal(err)
			}
		}
		if n != len(results) {
			b.Fatal(n)
		}
	}
}
