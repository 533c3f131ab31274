package uaf_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"countersign/internal/uaf"
)

func encodeParams(t testing.TB, params object) string {
	t.Helper()
	data, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	return encode(data)
}

func goodParams() object {
	return object{
		"appID": testAppID, "facetID": testFacet, "channelBinding": object{},
		"challenge": encode(make([]byte, 32)),
	}
}

func TestFinalChallengeParams_InvalidMembers(t *testing.T) {
	cases := []struct {
		path  string
		value any
	}{
		{"appID", absent}, {"appID", nil}, {"appID", ""}, {"appID", 1.0}, {"appID", strings.Repeat("a", 513)},
		{"facetID", absent}, {"facetID", nil}, {"facetID", ""}, {"facetID", object{}}, {"facetID", strings.Repeat("a", 513)},
		{"challenge", absent}, {"challenge", nil}, {"challenge", ""}, {"challenge", 1.0}, {"challenge", "AAAAAAAAAA="},
		{"challenge", "AAAAAAA"},                  // 5 bytes
		{"challenge", "AAAAAAAAAAB"},              // non-zero unused bits
		{"challenge", "AAAAAAAAAA\n"},             // a line break
		{"challenge", "AAAA+AAAAAA"},              // the other alphabet
		{"challenge", strings.Repeat("AAAA", 22)}, // 66 bytes
		{"channelBinding", absent}, {"channelBinding", nil}, {"channelBinding", ""}, {"channelBinding", []any{}},
		{"channelBinding", object{"tlsUnique": 1}}, {"channelBinding", object{"serverEndPoint": nil}},
		{"channelBinding", object{"cid_pubkey": object{}}},
		{"channelBinding", object{"serverEndPoint": ""}}, {"channelBinding", object{"tlsServerCertificate": ""}},
		{"channelBinding", object{"tlsUnique": ""}}, {"channelBinding", object{"cid_pubkey": ""}},
	}
	for _, c := range cases {
		params := goodParams()
		set(c.path, c.value)(params)
		if _, err := uaf.ParseFinalChallengeParams(encodeParams(t, params)); uaf.StatusOf(err) != content {
			t.Errorf("%s = %.40v: %v, want 1498", c.path, c.value, err)
		}
	}
}

func TestFinalChallengeParams_InvalidText(t *testing.T) {
	good := encodeParams(t, goodParams())
	decoded, _ := base64.RawURLEncoding.DecodeString(good)
	cases := map[string]string{
		"padded":              good + "==",
		"cut off":             good[:len(good)-3],
		"with a line break":   good[:8] + "\n" + good[8:],
		"with a return":       good + "\r",
		"with a space":        good + " ",
		"something after it":  encode(append(decoded, 'x')),
		"a duplicate member":  encode(bytes.Replace(decoded, []byte(`{`), []byte(`{"facetID":"x",`), 1)),
		"an array":            encode([]byte("[" + string(decoded) + "]")),
		"the JSON, undecoded": string(decoded),
		"empty":               "",
		"too long":            encode(append(decoded, bytes.Repeat([]byte(" "), 17<<10)...)),
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := uaf.ParseFinalChallengeParams(text)
			wantStatus(t, err, content)
		})
	}
	for name, text := range map[string]string{
		"an unknown member": encode(bytes.Replace(decoded, []byte(`{`), []byte(`{"x":null,`), 1)),
		"white space":       encode(append(decoded, " \n"...)),
	} {
		if _, err := uaf.ParseFinalChallengeParams(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFinalChallengeHash_OverText(t *testing.T) {
	text := encodeParams(t, goodParams())
	want := sha256.Sum256([]byte(text))
	if got := uaf.FinalChallengeHash(text); !bytes.Equal(got, want[:]) {
		t.Errorf("hash %x, want %x", got, want)
	}
}
