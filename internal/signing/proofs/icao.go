package proofs

// transcriptions are the ways in which ICAO Doc 9303, part 3, section 6 writes names in the
// letters A to Z: its Latin and Cyrillic tables, with the letters that a table gives two ways
// for, and those that some languages transcribe differently. The first table that has a
// letter counts. A letter that no table has loses its marks.
var transcriptions = [][]map[rune]string{
	{latin, cyrillic},
	{{'Ü': "UXX", 'Ñ': "NXX"}, latin, cyrillic},
	{{'Г': "H", 'Ё': "IO"}, latin, cyrillic},                              // Belarusian
	{{'Г': "H", 'И': "Y"}, latin, cyrillic},                               // Ukrainian
	{{'Ж': "Z", 'Х': "H", 'Ц': "C", 'Ч': "C", 'Ш': "S"}, latin, cyrillic}, // Serbian
	{{'Х': "H", 'Ц': "C", 'Ѓ': "G", 'Ќ': "C"}, latin, cyrillic},           // Macedonian
	{{'Щ': "SHT"}, latin, cyrillic},                                       // Bulgarian
}

// latin are the letters of the Latin table whose transcription is more than the letter
// without its marks, and those that do not decompose.
var latin = map[rune]string{
	'Ä': "AE", 'Å': "AA", 'Æ': "AE", 'Ǽ': "AE", 'Ð': "D", 'Đ': "D", 'Ö': "OE", 'Ø': "OE", 'Ǿ': "OE", 'Œ': "OE", 'Ü': "UE",
	'Þ': "TH", 'ẞ': "SS", 'ß': "SS", 'Ħ': "H", 'İ': "I", 'ı': "I", 'Ĳ': "IJ", 'Ŀ': "L", 'Ł': "L", 'Ŋ': "N", 'Ŧ': "T", 'ĸ': "Q", 'Ə': "E",
}

// cyrillic is the Cyrillic table.
var cyrillic = map[rune]string{
	'А': "A", 'Б': "B", 'В': "V", 'Г': "G", 'Д': "D", 'Е': "E", 'Ё': "E", 'Ж': "ZH", 'З': "Z", 'И': "I", 'Й': "I", 'К': "K",
	'Л': "L", 'М': "M", 'Н': "N", 'О': "O", 'П': "P", 'Р': "R", 'С': "S", 'Т': "T", 'У': "U", 'Ф': "F", 'Х': "KH", 'Ц': "TS",
	'Ч': "CH", 'Ш': "SH", 'Щ': "SHCH", 'Ъ': "IE", 'Ы': "Y", 'Ь': "", 'Э': "E", 'Ю': "IU", 'Я': "IA", 'Ѫ': "U", 'Ѵ': "Y",
	'Ґ': "G", 'Ў': "U", 'Ђ': "D", 'Ѓ': "G", 'Ѕ': "DZ", 'Є': "IE", 'І': "I", 'Ї': "I", 'Ј': "J", 'Љ': "LJ", 'Њ': "NJ", 'Ћ': "C",
	'Ќ': "K", 'Џ': "DZ", 'Ғ': "F", 'Һ': "C",
}
