package payload

import "testing"

// What a person pastes becomes the number that it looked like; anything else stays.
func TestNormalPhone_AsPasted(t *testing.T) {
	const number = "+436601234567"
	for _, typed := range []string{
		number, " +43 660 1234567 ", "\u202d+436601234567\u202c", "+43-660-123\u2011456\u20137", "+43 (660) 123.45/67", "+43 (0)660 1234567", "＋４３ ６６０ １２３４５６７",
		"+43\u00a0660\u202f1234567", "\ufeff+43\u200b660\u2060123\ufe0f4567\u200e", "+43\u00ad6601234567", "+43\t660\u30001234567", "\u2068+43 660 1234567\u2069", "+43 [660] 12\u221234567", "+43（660）1234567",
		"(+43) (0)660 1234567", "+43 ( 0 ) 660 1234567", "[+43] [0] 660/1234567", "（＋４３）（０）660 1234567", "tel:+43-660-1234567", "\u200bTEL: +43 660 1234567", "+43 660\u20141234567",
		"+43 660 1234567;", "+43 660 1234567,", "\u201c+43 660 1234567\u201d", "<tel:+43-660-1234567>", "+\u0664\u0663\u0666\u0666\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667", "+\u06f4\u06f3 \u06f6\u06f6\u06f0 \u09672\u09694567",
	} {
		if got := NormalPhone(typed); got != number || !IsPhone(got) {
			t.Errorf("%q is read as %q", typed, got)
		}
	}
	for typed, want := range map[string]string{"": "", " ": "", "call me": "call me", " +43 660 ext 5 ": "+43 660 ext 5", "0660 1234567": "06601234567", "- -": "- -"} {
		if got := NormalPhone(typed); got != want {
			t.Errorf("%q is read as %q, want %q", typed, got, want)
		}
	}
}
