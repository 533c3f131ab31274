package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"countersign/internal/authenticator/appclient"
	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// flags joins groups of flags.
func flags(groups ...func(*terminal, *flag.FlagSet)) func(*terminal, *flag.FlagSet) {
	return func(t *terminal, set *flag.FlagSet) {
		for _, group := range groups {
			group(t, set)
		}
	}
}

func (t *terminal) storeFlag(set *flag.FlagSet) {
	set.StringVar(&t.store, "store", defaultStore(), "the `file` that keeps the keys")
}

func (t *terminal) appFlags(set *flag.FlagSet) {
	t.storeFlag(set)
	t.online = true
	set.StringVar(&t.url, "url", "http://localhost:8080", "Countersign's public `origin`")
	set.StringVar(&t.user, "user", "alice@sandbox", "whose app this is, `userID@domain`")
	set.StringVar(&t.origin, "origin", "", "appear as this FIDO2 `origin` or UAF facet, such as android:apk-key-hash:… (default: that of --url)")
	set.BoolVar(&t.bound, "dpop", false, "bind the session to a key that is kept here, and prove it with every request (RFC 9449)")
	set.BoolVar(&t.verbose, "v", false, "show every request and answer; tokens and passwords stay hidden")
	set.Func("protocol", "the `protocol`, UAF11 or FIDO2 (default: UAF11 for a new key, else any)", func(text string) error {
		if text != appclient.UAF11 && text != appclient.FIDO2 {
			return fmt.Errorf("neither UAF11 nor FIDO2")
		}
		t.protocol = text
		return nil
	})
}

func (t *terminal) passwordFlag(set *flag.FlagSet) {
	set.StringVar(&t.passwordFile, "password-file", "",
		"the `file` that has the password, - for the standard input (default: $"+passwordVariable+", for a sandbox on this machine its people's password)")
}

func (t *terminal) newKeyFlags(set *flag.FlagSet) {
	var names []string
	for _, algorithm := range softuaf.Algorithms() {
		names = append(names, softuaf.AlgorithmName(algorithm))
	}
	set.StringVar(&t.algorithm, "algorithm", "",
		"the new key's `algorithm`: for UAF11 "+softuaf.AlgorithmName(uaf.AlgorithmP256DER)+" (the default) or one of "+
			strings.Join(names, ", ")+"; for FIDO2 ES256 (the default), RS256, EdDSA, ML-DSA-44 or ML-DSA-65 (both from Go 1.27 on)")
	set.StringVar(&t.keyFormat, "key-format", "", "UAF11: the `format` of the public key, ecc_x962_raw or ecc_x962_der, with RSA rsa_2048_raw or rsa_2048_der (default: raw)")
	set.StringVar(&t.attestation, "attestation", "",
		"the new key's `attestation`: for UAF11 surrogate (the default), or full, for which the server needs the metadata that countersign authenticator metadata prints; for FIDO2 none (the default), packed or packed-basic")
}

func (t *terminal) keyFlag(set *flag.FlagSet) {
	set.StringVar(&t.key, "key", "", "the `key` to use, as list names it (default: whichever the server asks for, the newest first)")
}

func (t *terminal) textFlag(set *flag.FlagSet) {
	set.StringVar(&t.text, "text", "Pay 100 EUR to Bob?", "the transaction's `text`: ASCII, at most 200 characters")
}

func (t *terminal) forgetFlag(set *flag.FlagSet) {
	set.BoolVar(&t.forget, "forget", false, "remove the key here alone: for a server that knows it no longer")
}

func (t *terminal) fileFlags(set *flag.FlagSet) {
	set.StringVar(&t.in, "in", "-", "the `file` with the answer of generate-fido-registration-request or -authentication-request, - for the standard input")
	set.StringVar(&t.out, "out", "-", "the `file` for the body to send next, - for the standard output")
}

// defaultStore returns a path in the person's configuration folder or, without one, in
// the current folder.
func defaultStore() string {
	folder, err := os.UserConfigDir()
	if err != nil {
		folder = "."
	}
	return filepath.Join(folder, "countersign", "authenticator.json")
}
