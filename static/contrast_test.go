package static_test

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var variable = regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6});`)

// TestContrast_OfColourPairs computes the contrast of every pair of colours that the stylesheet
// combines (WCAG 2.2, 1.4.3 for text, 1.4.11 for the edges of controls and the focus
// ring), in light and in dark mode.
func TestContrast_OfColourPairs(t *testing.T) {
	content, err := os.ReadFile("app.css")
	if err != nil {
		t.Fatal(err)
	}
	light, rest, ok := strings.Cut(string(content), "@media screen and (prefers-color-scheme: dark)")
	if !ok {
		t.Fatal("no dark set")
	}
	dark, _, _ := strings.Cut(rest, "\n}\n")
	text := map[string][]string{
		"ink":       {"ground", "surface", "sunken", "calm-soft", "danger-soft"},
		"muted":     {"ground", "surface", "sunken", "calm-soft", "danger-soft"},
		"link":      {"ground", "surface", "calm-soft"},
		"danger":    {"ground", "surface", "sunken", "danger-soft"},
		"on-accent": {"accent", "accent-hover"},
	}
	edges := map[string][]string{"edge": {"surface", "calm-soft"}, "focus": {"ground", "surface", "calm-soft", "danger-soft"}, "accent": {"ground", "surface"}}
	for scheme, css := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]float64{}
		for _, match := range variable.FindAllStringSubmatch(css, -1) {
			colours[match[1]] = luminance(t, match[2])
		}
		check(t, scheme, colours, text, 4.5)
		check(t, scheme, colours, edges, 3)
	}
}

func check(t *testing.T, scheme string, colours map[string]float64, pairs map[string][]string, least float64) {
	t.Helper()
	for front, grounds := range pairs {
		for _, ground := range grounds {
			a, okA := colours[front]
			b, okB := colours[ground]
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); !okA || !okB || ratio < least {
				t.Errorf("%s: --%s on --%s is %.2f to 1, want %.1f", scheme, front, ground, ratio, least)
			}
		}
	}
}

// luminance returns the relative luminance of a colour, as WCAG 2.2 defines it.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		value, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(value) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
