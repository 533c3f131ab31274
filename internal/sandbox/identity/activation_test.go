package identity

import (
	"testing"
)

func TestCheckDigit(t *testing.T) {
	for number, want := range map[string]byte{"7992739871": '3', "123456789": '7', "000000000": '0', "1": '8'} {
		if got := checkDigit(number); got != want {
			t.Errorf("%s: %c, want %c", number, got, want)
		}
	}
}

// One wrong digit, or two swapped neighbours, is detected offline.
func TestActivationPassword_Mistyped(t *testing.T) {
	var a activation
	for range 50 {
		password := a.issue(start)
		if !wellFormed(password) {
			t.Fatalf("%s is not well-formed", password)
		}
		for i := range password {
			wrong := []byte(password)
			wrong[i] = '0' + (wrong[i]-'0'+3)%10
			if wellFormed(string(wrong)) {
				t.Errorf("%s for %s", wrong, password)
			}
		}
	}
	for _, text := range []string{"", "1234567890", "123456789", "12345678970", "123456789x", "１２３４５６７８９７"} {
		if wellFormed(text) {
			t.Errorf("%q is well-formed", text)
		}
	}
}
