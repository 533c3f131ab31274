package identity

import (
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/identity/platform"
	"countersign/internal/payload"
)

// maxPassword limits a password, in characters.
const maxPassword = 255

var (
	serialNumber = regexp.MustCompile(`^[A-Z0-9]{3}[0-9]{7}$`)
	hexadecimal  = regexp.MustCompile(`^[0-9a-fA-F]+$`)
)

// requestID returns the id of a request, which may be absent.
func requestID(in payload.Object) string {
	id, ok := in.Text("requestID")
	if ok && !platform.IsRequestID(id) {
		in.Note("requestID", "field.request-id")
	}
	return id
}

// pushText checks the texts of a push that a login and a transaction share.
func pushText(message payload.Object) {
	if subject, ok := message.Between("subject", 1, 42, "field.push-subject"); ok && strings.TrimSpace(subject) == "" {
		message.Note("subject", "field.push-subject")
	}
	if title, ok := message.Object("title"); ok {
		title.Sized("text", 30, "field.push-title")
	}
}

// loginMessage returns the text of a push as it stands in the body, without nulls; nil if it
// is absent.
func loginMessage(body payload.Object) jsontext.Value {
	message, ok := body.Object("loginMessage")
	if !ok {
		return nil
	}
	message.Sized("challenge", 350, "field.push-challenge")
	pushText(message)
	return withoutNulls(message)
}

// withoutNulls returns an object as it stands in the body, without nulls, which no member of
// the platform's may be.
func withoutNulls(o payload.Object) jsontext.Value {
	text, _ := payload.Rewrite(o.Raw(), nil) // the body was read to its end
	return text
}

// fingerprint is what a browser has collected about itself.
type fingerprint struct {
	Raw  jsontext.Value `json:"fingerprintRaw,omitzero"`
	Hash string         `json:"fingerprintHash,omitzero"`
}

// deviceData returns what a browser or a phone has collected about itself; nil if that is
// nothing.
func deviceData(body payload.Object) jsontext.Value {
	data, _ := body.Object("cddc")
	browser, isBrowser := data.Object("browserCDDC")
	mobile, isMobile := data.Object("mobileCDDC")
	var out struct {
		Browser *fingerprint   `json:"browserCDDC,omitzero"`
		Mobile  jsontext.Value `json:"mobileCDDC,omitzero"`
	}
	switch {
	case isBrowser && isMobile:
		data.NoteSelf("field.cddc")
		return nil
	case isBrowser:
		out.Browser = browserData(browser)
	case isMobile:
		out.Mobile = withoutNulls(mobile)
	default:
		return nil
	}
	text, _ := json.Marshal(out) // the parts are JSON
	return text
}

// browserData reads a browser's data. The platform has the fingerprint as an object, which
// browsers' scripts also write as text.
func browserData(in payload.Object) *fingerprint {
	out := &fingerprint{}
	out.Hash, _ = in.Between("fingerprintHash", 1, 2000, "field.fingerprint-hash")
	raw, ok := in.Member("fingerprintRaw")
	if !ok {
		return out
	}
	if out.Raw = raw.Raw(); raw.Kind() == '"' {
		out.Raw = jsontext.Value(raw.StringOrEmpty())
	}
	if !out.Raw.IsValid() || out.Raw.Kind() != '{' {
		raw.Note("field.fingerprint")
		return &fingerprint{}
	}
	return out
}

// otpBounds checks a one-time password, and reads what its authenticator may need.
func otpBounds(in payload.Object, out *platform.OTPCredential) {
	if out.OTP != "" {
		in.Between("OTP", 6, 16, "field.one-time-password")
	}
	out.PIN, _ = in.Between("PIN", 4, 8, "field.pin")
	var ok bool
	if out.SerialNumber, ok = in.Text("serialNumber"); ok && !serialNumber.MatchString(out.SerialNumber) {
		in.Note("serialNumber", "field.serial-number")
	}
}

// channelBinding reads what a FIDO response says about its connection.
func channelBinding(in payload.Object) (out platform.ChannelBinding) {
	out.CIDPublicKey, _ = in.Text("cidPublicKey")
	out.TLSUnique, _ = in.Text("tlsUnique")
	out.TokenBinding, _ = in.Text("tokenBinding")
	return out
}

// adaptive reads the members of risk analytics.
func adaptive(body payload.Object, in *platform.LoginInput) {
	in.RelationshipRef, _ = body.Between("relationshipRef", 1, 150, "field.relationship")
	in.ApplicationRef, _ = body.Between("applicationRef", 0, 64, "field.application")
	var ok bool
	if in.SessionID, ok = body.Between("sessionID", 2, 100, "field.session-reference"); ok && !hexadecimal.MatchString(in.SessionID) {
		body.Note("sessionID", "field.session-reference")
	}
}
