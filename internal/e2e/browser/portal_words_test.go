package browser_test

// translated are the pages' texts that the tests of the portal use, in German.
var translated = map[string]string{
	"Packages":           "Vorgänge",
	"Menu":               "Menü",
	"New package":        "Neuer Vorgang",
	"Name":               "Name",
	"Documents":          "Dokumente",
	"First name":         "Vorname",
	"Last name":          "Nachname",
	"E-mail":             "E-Mail",
	"Recipient 1":        "Empfänger 1",
	"Recipient 2":        "Empfänger 2",
	"Add a recipient":    "Empfänger hinzufügen",
	"Sign in this order": "In dieser Reihenfolge unterschreiben",
	"Recipient":          "Empfänger",
	"Check":              "Prüfung",
	"Letters":            "Buchstaben",
	"Number":             "Zahl",
	"Message":            "Meldung",
	"Required":           "Pflichtfeld",
	"Send":               "Senden",
	"This must be one e-mail address and nothing else.": "Das muss genau eine E-Mail-Adresse sein.",
	"Sent":                            "Versendet",
	"1 package waits for you to sign": "1 Vorgang wartet auf Ihre Unterschrift",
	"Sign now":                        "Jetzt unterschreiben",
	"Accept":                          "Zustimmen",
	"Sign":                            "Unterschreiben",
	"Finish":                          "Fertig",
	"You have signed":                 "Sie haben unterschrieben",
	"Back to Countersign":             "Zurück zu Countersign",
	"Completed":                       "Fertig",
	"Finished PDF":                    "Fertiges PDF",
}

// portal is a person's way of using the portal.
type portal struct {
	language string
	width    int64
	keyboard bool
}

// word returns the pages' translation of an English text.
func (p portal) word(english string) string {
	if p.language == "de" {
		return translated[english]
	}
	return english
}
