package uaf_test

import (
	"encoding/base64"
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
	shown, err := uaf.NewPNGTransaction(picture(t, true))
	if err != nil {
		t.Fatal(err)
	}
	if got := shown.Display.Palette; len(got) != 2 || got[1] != (uaf.RGB{R: 1, G: 2, B: 3}) || shown.Display.ColorType != 3 {
		t.Errorf("display %+v", shown.Display)
	}
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

func TestPicturesThatAreNone(t *testing.T) {
	whole := picture(t, true)
	for _, broken := range [][]byte{nil, []byte("GIF89a"), whole[:30], whole[:40]} {
		if _, err := uaf.NewPNGTransaction(broken); err == nil {
			t.Errorf("a picture was made of %d bytes", len(broken))
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
