package config

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Apps are the service's mobile apps, each in normal form.
type Apps struct {
	// Android are this service's Android apps, each with the SHA-256 of its signing certificate.
	// Example: com.example.app=14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5
	//
	// They are added to `COUNTERSIGN_RP_ORIGINS`, to the UAF facets and to
	// `/.well-known/assetlinks.json`. A SHA-1 is used as a UAF facet only.
	Android []string `env:"ANDROID" rule:"androidApp"`
	// IOS are this service's iOS apps.
	// Example: ABCDE12345.com.example.app
	//
	// They are UAF facets, and `/.well-known/apple-app-site-association` names them.
	IOS []string `env:"IOS" rule:"iosApp"`
}

// AndroidApp is a signing certificate of an Android app.
type AndroidApp struct {
	Package string
	// Fingerprint is the certificate's hash: SHA-256 (32 bytes) or SHA-1 (20).
	Fingerprint []byte
}

// String returns the fingerprint in the usual form, in capitals with colons.
func (a AndroidApp) String() string {
	return strings.ReplaceAll(fmt.Sprintf("% X", a.Fingerprint), " ", ":")
}

const (
	sha1Bytes   = 20
	sha256Bytes = 32
)

var (
	packages     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+$`)
	iosApps      = regexp.MustCompile(`^[A-Z0-9]{10}(\.[A-Za-z0-9-]+)+$`)
	fingerprints = regexp.MustCompile(`^([0-9A-F]{2}:)+[0-9A-F]{2}$`)
)

func androidApp(text string) (string, error) {
	name, fingerprint, _ := strings.Cut(text, "=")
	fingerprint = strings.ToUpper(fingerprint)
	bytes := (len(fingerprint) + 1) / 3
	if !packages.MatchString(name) || !fingerprints.MatchString(fingerprint) || bytes != sha256Bytes && bytes != sha1Bytes {
		return "", fmt.Errorf("%q is not an app such as com.example.app=AB:CD:… with the SHA-256 (or, for UAF, SHA-1) of its certificate", text)
	}
	return name + "=" + fingerprint, nil
}

func iosApp(text string) (string, error) {
	if !iosApps.MatchString(text) {
		return "", fmt.Errorf("%q is not an app such as ABCDE12345.com.example.app", text)
	}
	return text, nil
}

// AndroidApps parses the Android entries.
func (a Apps) AndroidApps() []AndroidApp {
	out := make([]AndroidApp, 0, len(a.Android))
	for _, text := range a.Android {
		name, fingerprint, _ := strings.Cut(text, "=")
		hash, err := hex.DecodeString(strings.ReplaceAll(fingerprint, ":", ""))
		if err != nil {
			continue // refused by its rule, which Load reports
		}
		out = append(out, AndroidApp{Package: name, Fingerprint: hash})
	}
	return out
}

// origins returns the origins that the apps' FIDO2 responses carry.
func (a Apps) origins() []string {
	var out []string
	for _, app := range a.AndroidApps() {
		if len(app.Fingerprint) == sha256Bytes {
			out = append(out, apkKeyHash+base64.RawURLEncoding.EncodeToString(app.Fingerprint))
		}
	}
	return out
}

// facets returns the facet IDs of the apps' UAF clients. For Android these are the hash
// of the certificate in base64 (UAF 1.1: SHA-1; 1.2 names SHA-256 in the prefix) and,
// since clients share code with WebAuthn, in base64url.
func (a Apps) facets() []string {
	out := a.origins()
	for _, app := range a.AndroidApps() {
		prefix := apkKeyHash
		if len(app.Fingerprint) == sha256Bytes {
			prefix = "android:apk-key-hash-sha256:"
		}
		out = append(out, prefix+base64.RawStdEncoding.EncodeToString(app.Fingerprint))
	}
	for _, app := range a.IOS {
		_, bundle, _ := strings.Cut(app, ".")
		out = append(out, "ios:bundle-id:"+bundle)
	}
	return out
}

// Facets returns the facets that this service trusts in UAF clients: its origins and its
// apps.
func (c Config) Facets() []string { return union(c.RPOrigins, c.Apps.facets()) }

// UAFAppID returns the application ID of this service: the URL of its list of facets.
func (c Config) UAFAppID() string { return c.PublicOrigin.String() + "/uaf/facets" }

// RelatedOrigins returns the other web origins on which this service's passkeys work.
func (c Config) RelatedOrigins() []string {
	return slices.DeleteFunc(slices.Clone(c.RPOrigins), func(origin string) bool {
		return origin == c.PublicOrigin.String() || !strings.HasPrefix(origin, "https://")
	})
}

func union(lists ...[]string) []string {
	var out []string
	for _, list := range lists {
		for _, item := range list {
			if !slices.Contains(out, item) {
				out = append(out, item)
			}
		}
	}
	return out
}
