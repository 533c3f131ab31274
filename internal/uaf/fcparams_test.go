package uaf_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

func encodeParams(t testing.TB, params object) string {
	t.Helper()
	data, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

func goodParams() object {
	return object{
		"appID": testAppID, "facetID": testFacet, "channelBinding": object{},
		"challenge": base64.RawURLEncoding.EncodeToString(make([]byte, 32)),
	}
}

func TestFinalChallengeParamsMembers(t *testing.T) {
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

func TestFinalChallengeParamsText(t *testing.T) {
	good := encodeParams(t, goodParams())
	decoded, _ := base64.RawURLEncoding.DecodeString(good)
	encode := base64.RawURLEncoding.EncodeToString
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

func TestFinalChallengeHashIsOverTheText(t *testing.T) {
	text := encodeParams(t, goodParams())
	want := sha256.Sum256([]byte(text))
	if got := uaf.FinalChallengeHash(text); !bytes.Equal(got, want[:]) {
		t.Errorf("hash %x, want %x", got, want)
	}
}

// The client's statements are compared with the server's knowledge.
func TestFinalChallengeParamsAreThoseOfTheRequest(t *testing.T) {
	channel := uaf.ChannelBinding{TLSUnique: "abc", ServerEndPoint: "def"}
	cases := []struct {
		name   string
		tamper func(*uaf.FinalChallengeParams)
		server func(*server)
		want   uaf.Status
	}{
		{"nothing changed", nil, nil, uaf.StatusOK},
		{"another appID", func(p *uaf.FinalChallengeParams) { p.AppID = "https://evil.example/facets" }, nil, content},
		{"the facet as appID", func(p *uaf.FinalChallengeParams) { p.AppID = p.FacetID }, nil, content},
		{"the appID with a slash", func(p *uaf.FinalChallengeParams) { p.AppID += "/" }, nil, content},
		{"another facet", func(p *uaf.FinalChallengeParams) { p.FacetID = "https://evil.example" }, nil, content},
		{"the facet with a path", func(p *uaf.FinalChallengeParams) { p.FacetID += "/" }, nil, content},
		{"the facet in upper case", func(p *uaf.FinalChallengeParams) { p.FacetID = strings.ToUpper(p.FacetID) }, nil, content},
		{"a facet trusted too", func(p *uaf.FinalChallengeParams) { p.FacetID = "ios:bundle-id:com.example" },
			func(s *server) { s.facets = append(s.facets, "ios:bundle-id:com.example") }, uaf.StatusOK},
		{"no facet trusted", nil, func(s *server) { s.facets = nil }, content},
		{"another channel", func(p *uaf.FinalChallengeParams) { p.ChannelBinding.TLSUnique = "xyz" },
			func(s *server) { s.channel = &channel }, uaf.StatusChannelBindingRefused},
		{"the channel", func(p *uaf.FinalChallengeParams) { p.ChannelBinding = channel },
			func(s *server) { s.channel = &channel }, uaf.StatusOK},
		{"a channel that the client does not see", nil, func(s *server) { s.channel = &channel }, uaf.StatusOK},
		{"a channel that the server does not see", func(p *uaf.FinalChallengeParams) { p.ChannelBinding = channel },
			nil, uaf.StatusOK},
		{"a challenge of another length", func(p *uaf.FinalChallengeParams) { p.Challenge = "AAAAAAAAAAA" },
			nil, uaf.StatusRequestInvalid},
		{"another challenge", func(p *uaf.FinalChallengeParams) { p.Challenge = strings.Repeat("A", 43) },
			nil, uaf.StatusRequestInvalid},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			authenticator, server := pair(t, softuaf.Options{Tamper: softuaf.Tamper{Params: c.tamper}}, nil)
			response, err := authenticator.Register(server.registrationRequest())
			if err != nil {
				t.Fatal(err)
			}
			if c.server != nil {
				c.server(server)
			}
			_, err = server.register(response)
			wantStatus(t, err, c.want)
		})
	}
}

// A response whose fcParams name another challenge than the one expected is refused:
// serverData covers the challenge, and so does the expectation.
func TestChallengeMustBeTheServers(t *testing.T) {
	authenticator, server := pair(t, softuaf.Options{}, nil)
	response, err := authenticator.Register(server.registrationRequest())
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := uaf.ParseRegistrationResponse(response)
	if err != nil {
		t.Fatal(err)
	}
	for _, challenge := range [][]byte{nil, bytes.Repeat([]byte{1}, 32), server.challenge[:31]} {
		expectation := server.expectation()
		expectation.Challenge = challenge
		_, err = uaf.VerifyRegistrationResponse(parsed, &uaf.RegistrationContext{Expectation: expectation, Now: server.now})
		wantStatus(t, err, uaf.StatusRequestInvalid)
	}
}
