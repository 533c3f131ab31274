package payload

import (
	"strings"
	"testing"
)

func TestFoldAddress_OnlyASCII(t *testing.T) {
	for address, want := range map[string]string{
		"Bob@B.CO":      "bob@b.co",
		"az@AZ[`{.co":   "az@az[`{.co",
		"\u212a@b.co":   "\u212a@b.co", // KELVIN SIGN
		"\u017f@b.co":   "\u017f@b.co", // LATIN SMALL LETTER LONG S
		"\u0130@b.co":   "\u0130@b.co", // I with a dot above
		"Ü@b.co":        "Ü@b.co",
		"ü@b.co":        "ü@b.co",
		"A\xff\xc3@B.c": "a\xff\xc3@b.c", // invalid UTF-8
		"":              "",
	} {
		if got := FoldAddress(address); got != want {
			t.Errorf("%q is folded to %q, want %q", address, got, want)
		}
	}
}

func TestIsAddress(t *testing.T) {
	for text, want := range map[string]bool{
		"a@b.co": true, "A.b+c@xn--bcher-kva.example": true, "ü@b.co": true, "Ü@bücher.example": true, "日本@例え.jp": true,
		"a@" + strings.Repeat("b", 252): true, "a@" + strings.Repeat("b", 253): false, "a@" + strings.Repeat("ü", 126): true, "a@b" + strings.Repeat("ü", 126): false,
		"": false, "a": false, "@b.co": false, "a@": false, "Ann <a@b.co>": false, "<a@b.co>": false, "a@b.co,c@d.co": false, "a@b.co (c)": false,
		" a@b.co": false, "a@b.co ": false, "a b@c.co": false, `"a b"@c.co`: false,
		"a\u00a0@b.co": false, "a\u3000@b.co": false, "a\u2028@b.co": false, // white space
		"a\u200b@b.co": false, "a\u200d@b.co": false, "a\u202e@b.co": false, "a\ufeff@b.co": false, "a\u00ad@b.co": false, // invisible
		"a\x00@b.co": false, "a\x7f@b.co": false, "a\u0085@b.co": false, "a\n@b.co": false,
		"a\uff20b.co": false, "a\ufe6bb.co": false, "a@b\uff0eco": false, "a@b\u2024co": false, "a@b\uff61co": false, "a@b\u3002co": false, "a\u3002c@b.co": false,
		"\u212a@b.co": false, "\u017f@b.co": false, "\uff41@b.co": false, "\ufb01@b.co": false, "U\u0308@b.co": false, "a@b\u2460.co": false,
		"a\xff@b.co": false,
	} {
		if got := IsAddress(text); got != want {
			t.Errorf("%q is an address: %t", text, got)
		}
	}
}

// What a person types becomes an address if it looked like one to them.
func TestNormalAddress_AsTyped(t *testing.T) {
	for typed, want := range map[string]string{
		"a@b.co": "a@b.co", " a@b.co\u3000": "a@b.co", "ａ＠ｂ．ｃｏ": "a@b.co", "a@b\u3002co": "a@b.co", "a@b\uff61co": "a@b.co",
		"\u212a@b.co": "K@b.co", "U\u0308@b.co": "Ü@b.co", "A\u200b@b.co": "A\u200b@b.co", "": "",
		"\ufeffa@b.co\u200b": "a@b.co", "\u202aa@b.co\u202c": "a@b.co", "a@b.co;": "a@b.co", "a@b.co ; ": "a@b.co", "\u00ada@b.co,": "a@b.co", "a@b.co\ufe0f": "a@b.co", "mailto:a@b.co": "a@b.co", " MAILTO: a@b.co;": "a@b.co", "\u200bmailto:\u200ba@b.co": "a@b.co", "mailto@b.co": "mailto@b.co", "a@b.co;c@d.co": "a@b.co;c@d.co",
		"<a@b.co>": "a@b.co", `"a@b.co";`: "a@b.co", "'a@b.co'": "a@b.co", "\u201ea@b.co\u201c": "a@b.co", "\u00aba@b.co\u00bb": "a@b.co", "<mailto:a@b.co>": "a@b.co", "A <a@b.co>": "A <a@b.co>", `"a"@b.co`: `"a"@b.co`, "<>": "<>", "'": "'",
	} {
		if got := NormalAddress(typed); got != want {
			t.Errorf("%q is read as %q, want %q", typed, got, want)
		}
	}
}

// An address with something that cannot be seen is told apart from any other wrong one.
func TestAddressDetail_InvisibleCharacters(t *testing.T) {
	for text, want := range map[string]string{
		"a\u200b@b.co": "field.email-unseen", "a\ufeff@b.co": "field.email-unseen", "a\u00ad@b.co": "field.email-unseen", "a@b\u202a.co": "field.email-unseen", "a@b\ufe0f.co": "field.email-unseen",
		"a\u00a0@b.co": "field.email-unseen", "a": "field.email", "a b@c.co": "field.email", "a@b.co;c@d.co": "field.email",
	} {
		if got := AddressDetail(text); got != want || IsAddress(text) {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestNormalNumber_AsTyped(t *testing.T) {
	for typed, want := range map[string]string{
		"12": "12", " 12\u3000": "12", "１２": "12", "\ufeff1\u200b2\u00a0": "12", "\u202d12\u202c": "12", "-5": "-5", "1 2": "1 2", "\u200b": "", "": "",
	} {
		if got := NormalNumber(typed); got != want {
			t.Errorf("%q is read as %q, want %q", typed, got, want)
		}
	}
}

func TestIsReserved(t *testing.T) {
	for address, want := range map[string]bool{
		"a@example.com": true, "a@EXAMPLE.Com.": true, "a@x.Test": true, "a@localhost": true, "a@example.co": false, "a@myexample.com": false, "a@te\u017ft": false,
	} {
		if got := IsReserved(address); got != want {
			t.Errorf("%q is reserved: %t", address, got)
		}
	}
}
