package ceremony

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
)

// kind is a kind of FIDO2 authenticator that a decoy may seem to hold a credential
// of: how long its credential IDs are, and its transports in the order that
// browsers report them.
type kind struct {
	length     int
	transports [][]byte // JSON strings
}

var (
	synced   = [][]byte{[]byte(`"hybrid"`), []byte(`"internal"`)}
	internal = [][]byte{[]byte(`"internal"`)}
	nfcKey   = [][]byte{[]byte(`"nfc"`), []byte(`"usb"`)}
	usbKey   = [][]byte{[]byte(`"usb"`)}
)

// kinds are those of today's common authenticators: synced passkeys, platform
// authenticators, security keys.
var kinds = []kind{
	{16, synced}, {20, synced}, {32, synced}, {32, internal}, {48, nfcKey}, {64, usbKey},
}

// imagined is one credential of somebody who has none.
type imagined struct {
	id         []byte
	transports [][]byte
}

// NewDecoy makes an offer in protocol p for a user who cannot sign in, so that
// nobody can tell by the answer. shape (of Shape or DefaultShape) gives
// everything but the challenge and the requestID, which are fresh, and the
// credentials, which come from HMAC-SHA-256 under key of user, a canonical user
// id, and stay the same whoever signed in meanwhile.
func NewDecoy(p Protocol, key []byte, shape, user string) (Offer, error) {
	s, err := readShape(shape)
	if err != nil {
		return Offer{}, fmt.Errorf("decoy: %w", err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(user))
	seed := mac.Sum(nil)
	decoy := s.Offer
	decoy.RequestID = requestIDLike(s.RequestID, drawn)
	switch p {
	case FIDO2:
		decoy.Request, err = fido2Decoy(s.Request, seed)
	case UAF11:
		decoy.Request, err = s.uafDecoy(seed, user)
	default:
		err = fmt.Errorf("%w %q", errProtocol, p)
	}
	if err != nil {
		return Offer{}, fmt.Errorf("decoy: %w", err)
	}
	return decoy, nil
}

func fido2Decoy(request string, seed []byte) (string, error) {
	credentials, err := imagine(seed)
	if err != nil {
		return "", err
	}
	return onOptions(request, func(name string, value []byte) ([]byte, error) {
		switch name {
		case "challenge":
			return freshChallenge(value)
		case "allowCredentials":
			return decoyDescriptors(value, credentials)
		}
		return value, nil
	})
}

// imagine makes up the credentials of a user: mostly one, sometimes two.
func imagine(seed []byte) ([]imagined, error) {
	var out []imagined
	for i := range 2 {
		stream, err := hkdf.Expand(sha256.New, seed, fmt.Sprintf("countersign decoy credential %d", i), 2+64)
		if err != nil {
			return nil, err
		}
		m := kinds[int(stream[0])%len(kinds)]
		out = append(out, imagined{id: stream[2 : 2+m.length], transports: m.transports})
		if stream[1] >= 64 {
			break
		}
	}
	return out, nil
}

func freshChallenge(value []byte) ([]byte, error) {
	challenge, padded, err := bytesIn(value)
	if err != nil {
		return nil, err
	}
	if _, err := rand.Read(challenge); err != nil {
		return nil, err
	}
	return quoted(challenge, padded), nil
}

// decoyDescriptors fills the template that allowCredentials of a shape holds,
// unless it is null.
func decoyDescriptors(array []byte, credentials []imagined) ([]byte, error) {
	if string(array) == "null" {
		return array, nil
	}
	templates, before, after, err := elements(array)
	if err != nil {
		return nil, err
	}
	if len(templates) == 0 {
		return nil, ErrNoCredentials
	}
	var out [][]byte
	for _, c := range credentials {
		descriptor, err := rewrite(templates[0], func(name string, value []byte) ([]byte, error) {
			switch name {
			case "id":
				_, padded, err := bytesIn(value)
				return quoted(c.id, padded), err
			case "transports":
				_, before, after, err := elements(value)
				return compose(c.transports, before, after), err
			}
			return value, nil
		})
		if err != nil {
			return nil, err
		}
		out = append(out, descriptor)
	}
	return compose(out, before, after), nil
}

// pen gives the i-th character of a text that is written in alphabet.
type pen func(alphabet []string, i int) byte

// drawn draws every character alike: the alphabets are no powers of two, and a
// remainder would favour their first ones.
func drawn(alphabet []string, _ int) byte {
	all := strings.Join(alphabet, "")
	for b := [1]byte{}; ; {
		_, _ = rand.Read(b[:]) // it ends the program rather than return an error
		if i := int(b[0]); i < 256-256%len(all) {
			return all[i%len(all)]
		}
	}
}

// telltale goes round the last characters of the alphabet's parts, by which it
// is known again.
func telltale(alphabet []string, i int) byte {
	part := alphabet[i%len(alphabet)]
	return part[len(part)-1]
}

var (
	uuidForm = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|` +
		`[0-9A-F]{8}-[0-9A-F]{4}-[1-8][0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}`)
	leadingWords = regexp.MustCompile(`^(?:[A-Za-z]+[:./]|(?:[A-Z]?[a-z]{2,}|[A-Z]{3,})[-_])+`)
)

// requestIDLike is another requestID of the same make: UUIDs are others of their
// version or, if there is none, what follows the leading words is written anew
// in its alphabet.
func requestIDLike(text string, with pen) string {
	if uuidForm.MatchString(text) {
		return uuidForm.ReplaceAllStringFunc(text, func(id string) string { return uuidLike(id, with) })
	}
	words := leadingWords.FindString(text)
	return words + textLike(text[len(words):], with)
}

// uuidLike keeps version and variant.
func uuidLike(id string, with pen) string {
	digits, variant := []string{"0123456789", "abcdef"}, []string{"89ab"}
	if strings.ContainsAny(id, "ABCDEF") {
		digits[1], variant[0] = "ABCDEF", "89AB"
	}
	out := []byte(id)
	for i := range out {
		switch {
		case out[i] == '-' || i == 14:
		case i == 19:
			out[i] = with(variant, i)
		default:
			out[i] = with(digits, i)
		}
	}
	return string(out)
}

// textLike writes text anew, character for character, leaving what separates.
func textLike(text string, with pen) string {
	alphabet := alphabetOf(text)
	all, out := strings.Join(alphabet, ""), []byte(text)
	written := 0
	for i, c := range out {
		if strings.IndexByte(all, c) >= 0 {
			out[i] = with(alphabet, written)
			written++
		}
	}
	return string(out)
}

// alphabetOf guesses what text is written in: letters next to digits are
// hexadecimal where they can be, and what is mixed altogether is base64.
func alphabetOf(text string) []string {
	const digits, upper, lower = "0123456789", "GHIJKLMNOPQRSTUVWXYZ", "ghijklmnopqrstuvwxyz"
	var parts []string
	add := func(chars string, also ...string) {
		if strings.ContainsAny(text, chars) {
			parts = append(append(parts, also...), chars)
		}
	}
	add(digits)
	numbered := len(parts) > 0
	for _, letters := range [][2]string{{"ABCDEF", upper}, {"abcdef", lower}} {
		switch {
		case strings.ContainsAny(text, letters[1]):
			add(letters[1], letters[0])
		case numbered:
			add(letters[0])
		case strings.ContainsAny(text, letters[0]):
			parts = append(parts, letters[0], letters[1])
		}
	}
	if len(parts) == 5 {
		add("-_")
		add("+/")
	}
	return parts
}
