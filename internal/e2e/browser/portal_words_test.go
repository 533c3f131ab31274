package browser_test

// translated are the pages' texts that the tests of the portal use, in German and in
// Japanese.
var translated = map[string][2]string{
	"Packages":           {"Vorgänge", "パッケージ"},
	"Menu":               {"Menü", "メニュー"},
	"New package":        {"Neuer Vorgang", "新しいパッケージ"},
	"Name":               {"Name", "名前"},
	"Documents":          {"Dokumente", "文書"},
	"First name":         {"Vorname", "名"},
	"Last name":          {"Nachname", "姓"},
	"E-mail":             {"E-Mail", "メールアドレス"},
	"Recipient 1":        {"Empfänger 1", "受信者 1"},
	"Recipient 2":        {"Empfänger 2", "受信者 2"},
	"Add a recipient":    {"Empfänger hinzufügen", "受信者を追加"},
	"Sign in this order": {"In dieser Reihenfolge unterschreiben", "この順番で署名する"},
	"Recipient":          {"Empfänger", "受信者"},
	"Check":              {"Prüfung", "入力チェック"},
	"Letters":            {"Buchstaben", "英字"},
	"Number":             {"Zahl", "数値"},
	"Message":            {"Meldung", "メッセージ"},
	"Required":           {"Pflichtfeld", "必須"},
	"Send":               {"Senden", "送信"},
	"This must be one e-mail address and nothing else.": {"Das muss genau eine E-Mail-Adresse sein.", "メールアドレスを 1 つだけ入力してください。"},
	"Sent":                            {"Versendet", "送信済み"},
	"1 package waits for you to sign": {"1 Vorgang wartet auf Ihre Unterschrift", "1 件のパッケージが署名を待っています"},
	"Sign now":                        {"Jetzt unterschreiben", "今すぐ署名"},
	"Accept":                          {"Zustimmen", "同意する"},
	"Sign":                            {"Unterschreiben", "署名する"},
	"Finish":                          {"Fertig", "完了"},
	"You have signed":                 {"Sie haben unterschrieben", "署名が完了しました"},
	"Back to Countersign":             {"Zurück zu Countersign", "Countersign に戻る"},
	"Completed":                       {"Fertig", "完了"},
	"Finished PDF":                    {"Fertiges PDF", "完成した PDF"},
}

// portal is a person's way of using the portal.
type portal struct {
	language string
	width    int64
	keyboard bool
}

// word returns the pages' translation of an English text.
func (p portal) word(english string) string {
	switch p.language {
	case "de":
		return translated[english][0]
	case "ja":
		return translated[english][1]
	}
	return english
}
