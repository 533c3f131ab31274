package proofs

// transcription is one way to write names in the letters A to Z.
type transcription struct {
	// first has what is written at the beginning of a word alone. Then the first of tables
	// that has a letter counts.
	first  map[rune]string
	tables []map[rune]string
}

// transcriptions are the ways of ICAO Doc 9303, part 3, eighth edition (2021), section 6: its
// Latin, Cyrillic and Arabic tables, with the letters that a table gives two ways for, and
// those that some languages transcribe differently. A letter that no table has loses its
// marks.
var transcriptions = []transcription{
	{nil, []map[rune]string{latin, cyrillic}},
	{nil, []map[rune]string{{'Ü': "UXX", 'Ñ': "NXX"}, latin, cyrillic}},
	{nil, []map[rune]string{{'Ä': "A", 'Å': "A", 'Ö': "O", 'Ü': "U"}, latin, cyrillic}}, // beside ı, ł, ð in one name
	{nil, []map[rune]string{{'Г': "H", 'Ё': "IO"}, latin, cyrillic}},                    // Belarusian
	{ukrainianFirst, []map[rune]string{{'Г': "H", 'И': "Y"}, latin, cyrillic}},
	{nil, []map[rune]string{serbian, latin, cyrillic}},
	{nil, []map[rune]string{{'Г': "H"}, serbian, latin, cyrillic}},                                              // as the table has it
	{nil, []map[rune]string{{'Х': "H", 'Ц': "C", 'Ѓ': "GJ", 'Ғ': "GJ", 'Ќ': "KJ", 'Џ': "DJ"}, latin, cyrillic}}, // Macedonian
	{nil, []map[rune]string{{'Щ': "SHT"}, latin, cyrillic}},                                                     // Bulgarian
	{nil, []map[rune]string{arabic}},
	{nil, []map[rune]string{{'\u0629': "XAH"}, arabic}}, // U+0629 at the end of a name
}

var (
	ukrainianFirst = map[rune]string{'Є': "YE", 'Ї': "YI", 'Й': "Y", 'Ю': "YU", 'Я': "YA"}
	serbian        = map[rune]string{'Ж': "Z", 'Х': "H", 'Ц': "C", 'Ч': "C", 'Ш': "S"}
)

// latin are the letters of the Latin table whose transcription is more than the letter
// without its marks, and those that do not decompose.
var latin = map[rune]string{
	'Ä': "AE", 'Å': "AA", 'Æ': "AE", 'Ǽ': "AE", 'Ð': "D", 'Đ': "D", 'Ö': "OE", 'Ø': "OE", 'Ǿ': "OE", 'Œ': "OE", 'Ü': "UE",
	'Þ': "TH", 'ẞ': "SS", 'ß': "SS", 'Ħ': "H", 'İ': "I", 'ı': "I", 'Ĳ': "IJ", 'Ŀ': "L", 'Ł': "L", 'Ŋ': "N", 'Ŧ': "T", 'ĸ': "Q", 'Ə': "E",
}

// cyrillic is the Cyrillic table, with Ѓ, Ћ and Ь, which it lacks.
var cyrillic = map[rune]string{
	'А': "A", 'Б': "B", 'В': "V", 'Г': "G", 'Д': "D", 'Е': "E", 'Ё': "E", 'Ж': "ZH", 'З': "Z", 'И': "I", 'Й': "I", 'К': "K",
	'Л': "L", 'М': "M", 'Н': "N", 'О': "O", 'П': "P", 'Р': "R", 'С': "S", 'Т': "T", 'У': "U", 'Ф': "F", 'Х': "KH", 'Ц': "TS",
	'Ч': "CH", 'Ш': "SH", 'Щ': "SHCH", 'Ъ': "IE", 'Ы': "Y", 'Ь': "", 'Э': "E", 'Ю': "IU", 'Я': "IA", 'Ѫ': "U", 'Ѵ': "Y",
	'Ґ': "G", 'Ў': "U", 'Ђ': "D", 'Ѓ': "G", 'Ѕ': "DZ", 'Є': "IE", 'І': "I", 'Ї': "I", 'Ј': "J", 'Љ': "LJ", 'Њ': "NJ", 'Ћ': "C",
	'Ќ': "K", 'Џ': "DZ", 'Ғ': "G", 'Һ': "C",
}

// arabic is the Arabic table, by code points, since the letters of a line would be shown
// from right to left. Vowel signs are marks, which no name keeps; a letter with a shadda is
// written twice (see write). Four letters are not encoded.
var arabic = map[rune]string{
	'\u0621': "XE", '\u0622': "XAA", '\u0623': "XAE", '\u0624': "U", '\u0625': "I", '\u0626': "XI",
	'\u0627': "A", '\u0628': "B", '\u0629': "XTA", '\u062a': "T", '\u062b': "XTH", '\u062c': "J",
	'\u062d': "XH", '\u062e': "XKH", '\u062f': "D", '\u0630': "XDH", '\u0631': "R", '\u0632': "Z",
	'\u0633': "S", '\u0634': "XSH", '\u0635': "XSS", '\u0636': "XDZ", '\u0637': "XTT", '\u0638': "XZZ",
	'\u0639': "E", '\u063a': "G", '\u0640': "", '\u0641': "F", '\u0642': "Q", '\u0643': "K",
	'\u0644': "L", '\u0645': "M", '\u0646': "N", '\u0647': "H", '\u0648': "W", '\u0649': "XAY",
	'\u064a': "Y", '\u0671': "XXA", '\u0679': "XXT", '\u067c': "XRT", '\u067e': "P", '\u0681': "XKE",
	'\u0685': "XXH", '\u0686': "XC", '\u0688': "XXD", '\u0689': "XDR", '\u0691': "XXR", '\u0693': "XRR",
	'\u0696': "XRX", '\u0698': "XJ", '\u069a': "XXS", '\u069c': "", '\u06a2': "", '\u06a7': "", '\u06a8': "", '\u06a9': "XKK", '\u06ab': "XXK", '\u06ad': "XNG",
	'\u06af': "XGG", '\u06ba': "XNN", '\u06bc': "XXN", '\u06be': "XDO", '\u06c0': "XYH", '\u06c1': "XXG",
	'\u06c2': "XGE", '\u06c3': "XTG", '\u06cc': "XYA", '\u06cd': "XXY", '\u06d0': "Y", '\u06d2': "XYB",
	'\u06d3': "XBE",
}
