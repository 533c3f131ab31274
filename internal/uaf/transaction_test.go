package uaf_test

import (
	"encoding/base64"
	"reflect"
	"strings"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

var encode = base64.RawURLEncoding.EncodeToString

func plain(text string) object {
	return object{"contentType": "text/plain", "content": encode([]byte(text))}
}

func TestTransactions(t *testing.T) {
	shown := picture(t, true)
	display := object{"width": 3, "height": 2, "bitDepth": 1, "colorType": 3, "compression": 0, "filter": 0, "interlace": 0}
	image := func(display any, data []byte) object {
		out := object{"contentType": "image/png", "content": encode(data), "tcDisplayPNGCharacteristics": display}
		if display == absent {
			delete(out, "tcDisplayPNGCharacteristics")
		}
		return out
	}
	wider := object{"width": 4, "height": 2, "bitDepth": 1, "colorType": 3, "compression": 0, "filter": 0, "interlace": 0}
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
		{"a picture", image(display, shown.Content), uaf.StatusOK},
		{"a picture without characteristics", image(absent, shown.Content), content},
		{"a picture with others", image(wider, shown.Content), content},
		{"a picture with half of them", image(object{"width": 3}, shown.Content), content},
		{"a picture that is none", image(display, []byte("GIF89a")), content},
		{"a picture cut off", image(display, shown.Content[:20]), content},
		{"a picture cut off in its header", image(display, shown.Content[:28]), content},
		{"a picture of nothing", image(display, nil), content},
	}
	_, server := registered(t, softuaf.Options{})
	request := server.authenticationRequest()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			message := changed(t, request, set("transaction", []any{c.transaction}))
			_, err := uaf.ParseAuthenticationRequest(message)
			wantStatus(t, err, c.want)
		})
	}
}

func TestTransactionLists(t *testing.T) {
	_, server := registered(t, softuaf.Options{})
	request := server.authenticationRequest()
	for _, list := range []any{nil, []any{}, object{}, "x", bytesOf(plain("x"), 33)} {
		_, err := uaf.ParseAuthenticationRequest(changed(t, request, set("transaction", list)))
		wantStatus(t, err, content)
	}
}

// A picture travels with its palette.
func TestPicturesRoundTrip(t *testing.T) {
	_, server := registered(t, softuaf.Options{})
	for _, paletted := range []bool{true, false} {
		shown := picture(t, paletted)
		parsed, err := uaf.ParseAuthenticationRequest(server.authenticationRequest(shown))
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.Transactions; len(got) != 1 || !reflect.DeepEqual(got[0], shown) {
			t.Errorf("read %+v, want %+v", got, shown)
		}
	}
}

func bytesOf(one any, times int) []any {
	var out []any
	for range times {
		out = append(out, one)
	}
	return out
}
