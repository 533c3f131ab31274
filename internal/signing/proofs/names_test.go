package proofs_test

import (
	"testing"

	"countersign/internal/signing/proofs"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		signerFirst, signerLast, first, last string
		want                                 bool
	}{
		{"Ada", "Byron", "Ada", "Byron", true},
		{"Ada", "Byron", "ADA", "BYRON", true},
		{"Ada", "Byron", "ADA AUGUSTA", "BYRON", true}, // further first names
		{"Augusta", "Byron", "ADA AUGUSTA", "BYRON", true},
		{"Ada Augusta", "Byron", "ADA", "BYRON", false}, // the document lacks one
		{"Augusta Ada", "Byron", "ADA AUGUSTA", "BYRON", false},
		{"Ada", "Byron", "ADA", "BYRON KING", false}, // further last names are none
		{"Ada", "Byron", "Byron", "Ada", false},
		{"Ada", "Byron", "Adam", "Byron", false},
		{"Ada", "Byron", "Ada", "Lovelace", false},
		{"Ada", "Byron", "", "Byron", false},
		{"Ada", "Byron", "Ada", "", false},
		{"", "Byron", "Ada", "Byron", false},
		{" Ada ", "Byron\u00a0", "Ada", "Byron", true},

		{"Jürgen", "Müller", "JUERGEN", "MUELLER", true},
		{"Jürgen", "Müller", "JURGEN", "MULLER", true},
		{"Jürgen", "Müller", "JUXXRGEN", "MUXXLLER", true},
		{"Juergen", "Mueller", "Jürgen", "Müller", true},
		{"Jürgen", "Muller", "JUERGEN", "MUELLER", false}, // two different names
		{"Ju\u0308rgen", "Mu\u0308ller", "JÜRGEN", "MÜLLER", true},
		{"Søren", "Ørsted", "SOEREN", "OERSTED", true},
		{"Søren", "Ørsted", "SOREN", "ORSTED", false},
		{"Åsa", "Ångström", "AASA", "AANGSTROEM", true},
		{"Åsa", "Ångström", "ASA", "ANGSTROM", true},
		{"Anna", "Groß", "ANNA", "GROSS", true},
		{"Anna", "GROẞ", "Anna", "Groß", true},
		{"Łukasz", "Wałęsa", "LUKASZ", "WALESA", true},
		{"Zoë", "Núñez", "ZOE", "NUNEZ", true},
		{"Zoë", "Núñez", "ZOE", "NUNXXEZ", true},
		{"Þór", "Guðmundsson", "THOR", "GUDMUNDSSON", true},
		{"Æmilia", "Œuvray", "AEMILIA", "OEUVRAY", true},
		{"Đorđe", "Đukić", "DORDE", "DUKIC", true},
		{"İbrahim", "Yıldız", "IBRAHIM", "YILDIZ", true},
		{"Renée", "Lefèvre", "RENEE", "LEFEVRE", true},
		{"Ștefan", "Țăran", "STEFAN", "TARAN", true},

		{"Anne-Marie", "Smith-Jones", "ANNE MARIE", "SMITH JONES", true},
		{"Anne", "Smith–Jones", "ANNE MARIE", "SMITH  JONES", true},
		{"Jean‑Luc", "Picard", "Jean-Luc", "Picard", true}, // a hyphen that does not break
		{"Sinéad", "O’Connor", "SINEAD", "OCONNOR", true},
		{"Sinéad", "O'Connor", "Sinead", "O’Connor", true},
		{"Ｊａｎｅ", "Ｄｏｅ", "JANE", "DOE", true}, // full width
		{"太郎", "山田", "太郎", "山田", true},
		{"太郎", "山田", "次郎", "山田", false},

		{"Иван", "Щукин", "IVAN", "SHCHUKIN", true},
		{"Юлия", "Жукова", "IULIIA", "ZHUKOVA", true},
		{"Григорій", "Гнатюк", "HRYHORII", "HNATIUK", true},
		{"Олена", "Гнатюк", "OLENA", "HNATIUK", true},
		{"Иван", "Иванов", "Иван", "Иванов", true},
	} {
		signer, document := proofs.Name{First: test.signerFirst, Last: test.signerLast}, proofs.Name{First: test.first, Last: test.last}
		if got := document.Names(signer); got != test.want {
			t.Errorf("%q %q by %q %q: %t, want %t", test.signerFirst, test.signerLast, test.first, test.last, got, test.want)
		}
	}
}

// The letters of ICAO Doc 9303, part 3, section 6.A, each with what it becomes. Where the
// table gives several, all of them count.
func TestLatinTranscription(t *testing.T) {
	t.Parallel()
	for letters, texts := range map[string][]string{
		"ÀÁÂÃĀĂĄ": {"A"}, "Ä": {"AE", "A"}, "Å": {"AA", "A"}, "Æ": {"AE"}, "ÇĆĈĊČ": {"C"}, "ÐĎĐ": {"D"}, "ÈÉÊËĒĔĖĘĚ": {"E"},
		"ĜĞĠĢ": {"G"}, "ĤĦ": {"H"}, "ÌÍÎÏĨĪĬĮİı": {"I"}, "Ĳ": {"IJ"}, "Ĵ": {"J"}, "Ķ": {"K"}, "ĹĻĽĿŁ": {"L"}, "Ñ": {"N", "NXX"}, "ŃŅŇŊ": {"N"},
		"ÒÓÔÕŌŎŐ": {"O"}, "Ö": {"OE", "O"}, "Ø": {"OE"}, "Œ": {"OE"}, "ŔŖŘ": {"R"}, "ŚŜŞŠȘ": {"S"}, "ẞß": {"SS"}, "ŢŤŦȚ": {"T"}, "Þ": {"TH"},
		"ÙÚÛŨŪŬŮŰŲ": {"U"}, "Ü": {"UE", "UXX", "U"}, "Ŵ": {"W"}, "ÝŶŸ": {"Y"}, "ŹŻŽ": {"Z"},
	} {
		for _, letter := range letters {
			for _, text := range texts {
				for _, name := range []string{"X" + string(letter) + "q", string(letter)} {
					document := proofs.Name{First: "A", Last: map[bool]string{true: "X" + text + "Q", false: text}[len(name) > len(string(letter))]}
					if !document.Names(proofs.Name{First: "A", Last: name}) {
						t.Errorf("%q is not %q", name, document.Last)
					}
				}
			}
		}
	}
}

// Different letters are never one.
func TestLettersStayApart(t *testing.T) {
	t.Parallel()
	const all = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for _, a := range all {
		for _, b := range all {
			if got := (proofs.Name{First: "X", Last: string(a)}).Names(proofs.Name{First: "X", Last: string(b)}); got != (a == b) {
				t.Errorf("%c and %c: %t", a, b, got)
			}
		}
	}
}
