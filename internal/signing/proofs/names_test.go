package proofs_test

import (
	"strings"
	"testing"

	"countersign/internal/signing/proofs"
)

func TestNames_MatchSigner(t *testing.T) {
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
		{"Gülşah Işıl", "Küçükyıldız", "GULSAH ISIL", "KUCUKYILDIZ", true},
		{"Guðrún Sól", "Björkeð", "GUDRUN SOL", "BJORKED", true},
		{"Ada", "Köhler-Łabędź", "ADA", "KOHLER LABEDZ", true},
		{"Renée", "Lefèvre", "RENEE", "LEFEVRE", true},
		{"Ștefan", "Țăran", "STEFAN", "TARAN", true},

		{"Anne-Marie", "Smith-Jones", "ANNE MARIE", "SMITH JONES", true},
		{"Anne", "Smith–Jones", "ANNE MARIE", "SMITH  JONES", true},
		{"Jean‑Luc", "Picard", "Jean-Luc", "Picard", true},               // a hyphen that does not break
		{"Anne−Marie", "Smith−Jones", "ANNE MARIE", "SMITH JONES", true}, // minus signs
		{"ジョン・ポール", "スミス", "ジョン ポール", "スミス", true},
		{"ｼﾞｮﾝ･ﾎﾟｰﾙ", "ｽﾐｽ", "ジョン・ポール", "スミス", true}, // half width
		{"Sinéad", "O’Connor", "SINEAD", "OCONNOR", true},
		{"Sinéad", "O'Connor", "Sinead", "O’Connor", true},
		{"Rosa", "D´Angelo", "ROSA", "DANGELO", true},
		{"Kaʻiulani", "O′Neil", "KAIULANI", "ONEIL", true},
		{"Saʿid", "Raʾuf", "SAID", "RAUF", true},
		{"Ｊａｎｅ", "Ｄｏｅ", "JANE", "DOE", true}, // full width
		{"太郎", "山田", "太郎", "山田", true},
		{"太郎", "山田", "次郎", "山田", false},

		{"Иван", "Щукин", "IVAN", "SHCHUKIN", true},
		{"Юлия", "Жукова", "IULIIA", "ZHUKOVA", true},
		{"Григорій", "Гнатюк", "HRYHORII", "HNATIUK", true},
		{"Олена", "Гнатюк", "OLENA", "HNATIUK", true},
		{"Євген", "Ющенко", "YEVHEN", "YUSHCHENKO", true},
		{"Яна-Юлія", "Їжак", "YANA YULIIA", "YIZHAK", true},
		{"Марія", "Бойко", "MARIYA", "BOYKO", false}, // at the beginning of a word alone
		{"Ѓорѓи", "Ќосев", "GJORGJI", "KJOSEV", true},
		{"Џемал", "Цветков", "DJEMAL", "CVETKOV", true},
		{"Жељко", "Чупић", "ZELJKO", "CUPIC", true},
		{"Георгиос", "Щерев", "GEORGIOS", "SHTEREV", true},
		{"Иван", "Иванов", "Иван", "Иванов", true},

		{"محمد", "عبدالرحيم", "MXHMD", "EBDALRXHYM", true},
		{"مُحَمَّد", "عبدالرحيم", "MXHMMD", "EBDALRXHYM", true}, // a letter with a shadda is written twice
		{"فاطمة", "أحمد", "FAXTTMXAH", "XAEXHMD", true},         // U+0629 at the end
		{"فاطمة", "أحمد", "FAXTTMXTA", "XAEXHMD", true},
		{"فاطمة", "أحمد", "FATIMA", "AHMAD", false}, // as it sounds is not how passports write it
		{"محمد", "أحمد", "محمد", "أحمد", true},
		{"محمد", "أحمد", "محمود", "أحمد", false},
		{"پرویز", "گلستانی", "PRWXYAZ", "XGGLSTANXYA", true}, // Persian letters
	} {
		signer, document := proofs.Name{First: test.signerFirst, Last: test.signerLast}, proofs.Name{First: test.first, Last: test.last}
		if got := document.Names(signer); got != test.want {
			t.Errorf("%q %q by %q %q: %t, want %t", test.signerFirst, test.signerLast, test.first, test.last, got, test.want)
		}
	}
}

// The letters of ICAO Doc 9303, part 3, section 6.A, each with what it becomes. Where the
// table gives several, all of them count.
func TestTranscription_Latin(t *testing.T) {
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

// The letters of ICAO Doc 9303, part 3, section 6.B, each with what it becomes in the middle of
// a word: in general and, behind it, in the languages that have it otherwise.
func TestTranscription_Cyrillic(t *testing.T) {
	t.Parallel()
	for letter, texts := range map[string]string{
		"Ё": "E IO", "Ђ": "D", "Є": "IE", "Ѕ": "DZ", "І": "I", "Ї": "I", "Ј": "J", "Љ": "LJ", "Њ": "NJ", "Ќ": "K KJ", "Ў": "U", "Џ": "DZ DJ",
		"А": "A", "Б": "B", "В": "V", "Г": "G H", "Д": "D", "Е": "E", "Ж": "ZH Z", "З": "Z", "И": "I Y", "Й": "I", "К": "K", "Л": "L", "М": "M",
		"Н": "N", "О": "O", "П": "P", "Р": "R", "С": "S", "Т": "T", "У": "U", "Ф": "F", "Х": "KH H", "Ц": "TS C", "Ч": "CH C", "Ш": "SH S",
		"Щ": "SHCH SHT", "Ъ": "IE", "Ы": "Y", "Э": "E", "Ю": "IU", "Я": "IA", "Ѫ": "U", "Ѵ": "Y", "Ґ": "G", "Ғ": "G GJ", "Һ": "C",
	} {
		for text := range strings.FieldsSeq(texts) {
			if !(proofs.Name{First: "A", Last: "A" + text + "A"}).Names(proofs.Name{First: "A", Last: "А" + letter + "а"}) {
				t.Errorf("%q is not %q", letter, text)
			}
		}
	}
	for letter, text := range map[string]string{"Є": "YE", "Ї": "YI", "Й": "Y", "Ю": "YU", "Я": "YA"} { // Ukrainian
		if !(proofs.Name{First: "A", Last: text + "A"}).Names(proofs.Name{First: "A", Last: letter + "а"}) {
			t.Errorf("%q is not %q", letter, text)
		}
	}
}

// The letters of ICAO Doc 9303, part 3, section 6.C, each with what it becomes; "" is not
// encoded.
func TestTranscription_Arabic(t *testing.T) {
	t.Parallel()
	for text, letters := range map[string]string{
		"XE": "\u0621", "XAA": "\u0622", "XAE": "\u0623", "U": "\u0624", "I": "\u0625", "XI": "\u0626", "A": "\u0627", "B": "\u0628",
		"XTA": "\u0629", "XAH": "\u0629", "T": "\u062a", "XTH": "\u062b", "J": "\u062c", "XH": "\u062d", "XKH": "\u062e", "D": "\u062f",
		"XDH": "\u0630", "R": "\u0631", "Z": "\u0632", "S": "\u0633", "XSH": "\u0634", "XSS": "\u0635", "XDZ": "\u0636", "XTT": "\u0637",
		"XZZ": "\u0638", "E": "\u0639", "G": "\u063a", "F": "\u0641", "Q": "\u0642", "K": "\u0643", "L": "\u0644", "M": "\u0645",
		"N": "\u0646", "H": "\u0647", "W": "\u0648", "XAY": "\u0649", "Y": "\u064a\u06d0", "XXA": "\u0671", "XXT": "\u0679", "XRT": "\u067c",
		"P": "\u067e", "XKE": "\u0681", "XXH": "\u0685", "XC": "\u0686", "XXD": "\u0688", "XDR": "\u0689", "XXR": "\u0691", "XRR": "\u0693",
		"XRX": "\u0696", "XJ": "\u0698", "XXS": "\u069a", "XKK": "\u06a9", "XXK": "\u06ab", "XNG": "\u06ad", "XGG": "\u06af", "XNN": "\u06ba",
		"XXN": "\u06bc", "XDO": "\u06be", "XYH": "\u06c0", "XXG": "\u06c1", "XGE": "\u06c2", "XTG": "\u06c3", "XYA": "\u06cc", "XXY": "\u06cd",
		"XYB": "\u06d2", "XBE": "\u06d3", "": "\u0640\u069c\u06a2\u06a7\u06a8",
	} {
		for _, letter := range letters {
			between := proofs.Name{First: "A", Last: "L" + text + "L"}
			if !between.Names(proofs.Name{First: "A", Last: "\u0644" + string(letter) + "\u0644"}) {
				t.Errorf("%U between others is not %q", letter, text)
			}
			if text == "" {
				continue
			}
			for signer, document := range map[string]string{
				string(letter):            text,
				string(letter) + "\u0651": text + text, string(letter) + "\u064e\u0651": text + text,
				"\u0640" + string(letter) + "\u064e": text,
			} {
				if !(proofs.Name{First: "A", Last: document}).Names(proofs.Name{First: "A", Last: signer}) {
					t.Errorf("%q (%U) is not %q", signer, letter, document)
				}
			}
		}
	}
}

// Different letters are never one.
func TestTranscription_LettersStayDistinct(t *testing.T) {
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
