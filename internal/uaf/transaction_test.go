package uaf_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/internal/uaf"
)

func plain(text string) object {
	return object{"contentType": "text/plain", "content": encode([]byte(text))}
}

func TestTransaction_ContentAndType(t *testing.T) {
	picture := func(data string) object {
		return object{"contentType": "image/png", "content": encode([]byte(data)), "tcDisplayPNGCharacteristics": object{"width": 3}}
	}
	cases := []struct {
		name        string
		transaction any
		want        uaf.Status
	}{
		{"text", plain("Pay?"), uaf.StatusOK},
		{"text of 200 characters", plain(strings.Repeat("a", 200)), uaf.StatusOK},
		{"text of 201 characters", plain(strings.Repeat("a", 201)), content},
		{"no text", plain(""), content},
		{"text that is not ASCII", plain("Zahlen: 100 €"), content},
		{"text with padding", object{"contentType": "text/plain", "content": "YQ=="}, content},
		{"another type", object{"contentType": "text/html", "content": "YWFh"}, content},
		{"no type", object{"content": "YWFh"}, content},
		{"no content", object{"contentType": "text/plain"}, content},
		{"null", nil, content},
		{"a picture", picture("a PNG, which is not looked into"), uaf.StatusOK},
		{"a picture of nothing", picture(""), content},
	}
	request := authenticationRequest(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			message := changed(t, request, set("transaction", []any{c.transaction}))
			_, err := uaf.ParseAuthenticationRequest(message)
			wantStatus(t, err, c.want)
		})
	}
}

func TestTransaction_InvalidLists(t *testing.T) {
	request := authenticationRequest(t)
	for _, list := range []any{nil, []any{}, object{}, "x", slices.Repeat([]any{plain("x")}, 33)} {
		_, err := uaf.ParseAuthenticationRequest(changed(t, request, set("transaction", list)))
		wantStatus(t, err, content)
	}
}
