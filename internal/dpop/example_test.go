package dpop_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"countersign/internal/dpop"
)

// A client proves for one request that it holds its key; the proof is good for no other request.
func Example() {
	key, err := dpop.NewKey()
	if err != nil {
		fmt.Println(err)
		return
	}
	proof, err := key.Prove(dpop.Call{Method: http.MethodGet, URL: origin + "/session", Token: token}, noon)
	if err != nil {
		fmt.Println(err)
		return
	}
	verifier, err := dpop.NewVerifier(origin, nil, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		r := httptest.NewRequest(method, origin+"/session", nil)
		r.Header.Set(dpop.Header, proof)
		_, err := verifier.Verify(r, token)
		fmt.Println(method, err == nil)
	}
	// Output:
	// GET true
	// DELETE false
}
