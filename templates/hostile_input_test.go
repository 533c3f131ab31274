package templates_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/i18n"
	"countersign/static"
	"countersign/templates"
)

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'` + "`{{.Nonce}}"

// TestPages_EscapeMarkup puts markup into every text of a page that people or the platform
// chose, and expects it to stay text.
func TestPages_EscapeMarkup(t *testing.T) {
	evil := &templates.Person{ID: hostile, DisplayName: hostile}
	c := templates.Common{Language: "en", Nonce: "n0nce", RequestID: hostile, Path: "/" + hostile, Person: evil, Problem: &templates.Problem{Row: fault.Lookup(fault.RequestInvalid), Detail: hostile}}
	row := object{"ID": hostile, "Name": hostile, "Protocol": hostile, "Provider": hostile}
	session := object{"ID": hostile, "UserAgent": hostile, "Address": hostile, "Methods": []string{hostile}}
	pages := newPages(t)
	for name, write := range map[string]func(*templates.Pages, io.Writer) error{
		"home":         shown("home", "Common", c),
		"login":        login("Common", c, "Typed", hostile, "Next", hostile),
		"known":        login("Common", c, "User", hostile, "Next", hostile, "Remembered", true),
		"list":         list("Common", c, "Authenticators", []object{row}, "Added", hostile, "Place", hostile),
		"remove":       list("Common", c, "Authenticators", []object{row}, "Removing", hostile),
		"rename":       list("Common", c, "Authenticators", []object{row}, "Renaming", hostile),
		"account":      account("Common", c, "Email", hostile, "Sessions", []object{session}, "Languages", []string{hostile}, "ActivationPassword", hostile, "Events", []object{{"event": hostile, "device": hostile, "address": hostile, "method": hostile}}),
		"error":        failure("Common", c, "Key", hostile),
		"interstitial": shown("interstitial", "Common", c),
	} {
		t.Run(name, func(t *testing.T) {
			d := render(t, pages, write)
			checkPolicy(t, d)
			if !strings.Contains(d.source, "alert(1)") {
				t.Error("the text is not on the page: nothing was tested")
			}
			for _, n := range d.all("img") {
				if get(n, "src") == "x" {
					t.Error("an image of theirs")
				}
			}
		})
	}
}

// TestInterstitial_StaysOnSite: the page leads to its own path and to no other site.
func TestInterstitial_StaysOnSite(t *testing.T) {
	pages := newPages(t)
	for path, want := range map[string]string{
		"/account?a=1&b=2":   "/account?a=1&b=2",
		"/":                  "/",
		"":                   "/",
		"//evil.example/":    "/",
		`/\evil.example`:     "/",
		"https://evil/":      "/",
		"javascript:alert()": "/",
	} {
		d := render(t, pages, shown("interstitial", "Common", common(path, nil, "")))
		var content string
		for _, n := range d.all("meta") {
			if get(n, "http-equiv") == "refresh" {
				content = get(n, "content")
			}
		}
		if content != "0; url="+want {
			t.Errorf("%q: refresh %q", path, content)
		}
		if link := d.button("Continue"); get(link, "href") != want {
			t.Errorf("%q: the link leads to %q", path, get(link, "href"))
		}
	}
}

// TestPage_MissingAsset: a page that names a missing asset is an error, and nothing of it
// is written.
func TestPage_MissingAsset(t *testing.T) {
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	pages := templates.New(templates.Options{Bundle: bundle, Assets: &static.Assets{}})
	if err := shown("home")(pages, &out); err == nil || !strings.Contains(err.Error(), "mark.svg") || out.Len() > 0 {
		t.Errorf("without assets: %v, %d bytes", err, out.Len())
	}
}

type broken struct{ wrote int }

var errGone = errors.New("gone")

func (b *broken) Write(p []byte) (int, error) {
	b.wrote++
	return 0, errGone
}

// TestPage_WrittenOnce: a page is sent in one write, and a failed write, of a reader who went
// away, is reported as such.
func TestPage_WrittenOnce(t *testing.T) {
	pages := newPages(t)
	for _, s := range samples() {
		var w broken
		if err := s.write(pages, &w); !errors.Is(err, errGone) || w.wrote != 1 {
			t.Errorf("%s: %d writes, %v", s.name, w.wrote, err)
		}
	}
}

// TestDevices_RecognizableWords: a session's device is shown in words that its owner recognizes.
func TestDevices_RecognizableWords(t *testing.T) {
	pages := newPages(t)
	for agent, want := range map[string]string{
		"": "Unknown device",
		"Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0":                                                                     "Firefox on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0":              "Edge on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15":                      "Safari on macOS",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1":     "Chrome on iPhone",
		"Mozilla/5.0 (Linux; Android 15; SM-S938B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36": "Samsung Internet on Android",
		"com.example.app/4.1 okhttp": "com.example.app/4.1 okhttp",
	} {
		d := render(t, pages, account("Sessions", []object{{"ID": "s", "UserAgent": agent}}))
		if got := text(d.all("h3")[0]); got != want {
			t.Errorf("%q shows as %q, want %q", agent, got, want)
		}
	}
}
