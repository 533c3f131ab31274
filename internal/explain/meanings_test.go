package explain

import (
	"os"
	"strings"
	"testing"
)

// What causes mean is written for people in the table of symptoms as well.
func TestMeanings_Documented(t *testing.T) {
	text, err := os.ReadFile("../../docs/operate/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range meanings {
		if !strings.Contains(string(text), m.part) {
			t.Errorf("docs/operate/troubleshooting.md does not tell of %q", m.part)
		}
	}
}
