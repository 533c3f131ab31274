package signing

import "strings"

// text is an e-mail. In the subject, which is also the SMS, stands the package's
// name; in the body the reader's name, the package's and the sender's.
type text struct{ subject, body string }

// textsOf are what people are sent, in the language of a package; English where
// there is no other.
func textsOf(language string) map[string]text {
	language, _, _ = strings.Cut(strings.ToLower(strings.ReplaceAll(language, "_", "-")), "-")
	if texts, ok := texts[language]; ok {
		return texts
	}
	return texts["en"]
}

// texts are by language and event.
var texts = map[string]map[string]text{
	"en": {
		roleInvited:      {"Please sign: %s", "Hello %s,\n\n%[3]s asks you to sign “%[2]s”."},
		roleReminded:     {"Reminder, please sign: %s", "Hello %s,\n\n“%[2]s” by %[3]s still waits for you to sign."},
		packageCompleted: {"Signed by everybody: %s", "Hello %s,\n\neverybody has signed “%[2]s” by %[3]s."},
		packageDeclined:  {"Declined: %s", "Hello %s,\n\n“%[2]s” has been declined."},
		packageOptedOut:  {"Refused: %s", "Hello %s,\n\na signer of “%[2]s” does not want to sign electronically."},
		packageExpired:   {"Expired: %s", "Hello %s,\n\n“%[2]s” has expired and can no longer be signed."},
	},
	"de": {
		roleInvited:      {"Bitte unterschreiben: %s", "Guten Tag %s,\n\n%[3]s bittet Sie, „%[2]s“ zu unterschreiben."},
		roleReminded:     {"Erinnerung, bitte unterschreiben: %s", "Guten Tag %s,\n\n„%[2]s“ von %[3]s wartet noch auf Ihre Unterschrift."},
		packageCompleted: {"Von allen unterschrieben: %s", "Guten Tag %s,\n\nalle haben „%[2]s“ von %[3]s unterschrieben."},
		packageDeclined:  {"Abgelehnt: %s", "Guten Tag %s,\n\n„%[2]s“ wurde abgelehnt."},
		packageOptedOut:  {"Verweigert: %s", "Guten Tag %s,\n\njemand möchte „%[2]s“ nicht elektronisch unterschreiben."},
		packageExpired:   {"Abgelaufen: %s", "Guten Tag %s,\n\n„%[2]s“ ist abgelaufen und kann nicht mehr unterschrieben werden."},
	},
	"es": {
		roleInvited:      {"Firme, por favor: %s", "Hola, %s:\n\n%[3]s le pide que firme «%[2]s»."},
		roleReminded:     {"Recordatorio, firme, por favor: %s", "Hola, %s:\n\n«%[2]s», de %[3]s, sigue pendiente de su firma."},
		packageCompleted: {"Firmado por todos: %s", "Hola, %s:\n\ntodos han firmado «%[2]s», de %[3]s."},
		packageDeclined:  {"Rechazado: %s", "Hola, %s:\n\n«%[2]s» ha sido rechazado."},
		packageOptedOut:  {"Denegado: %s", "Hola, %s:\n\nalguien no desea firmar «%[2]s» electrónicamente."},
		packageExpired:   {"Caducado: %s", "Hola, %s:\n\n«%[2]s» ha caducado y ya no se puede firmar."},
	},
	"fr": {
		roleInvited:      {"Veuillez signer : %s", "Bonjour %s,\n\n%[3]s vous demande de signer « %[2]s »."},
		roleReminded:     {"Rappel, veuillez signer : %s", "Bonjour %s,\n\n« %[2]s » de %[3]s attend toujours votre signature."},
		packageCompleted: {"Signé par tous : %s", "Bonjour %s,\n\ntous ont signé « %[2]s » de %[3]s."},
		packageDeclined:  {"Décliné : %s", "Bonjour %s,\n\n« %[2]s » a été décliné."},
		packageOptedOut:  {"Refusé : %s", "Bonjour %s,\n\nune personne ne souhaite pas signer « %[2]s » par voie électronique."},
		packageExpired:   {"Expiré : %s", "Bonjour %s,\n\n« %[2]s » a expiré et ne peut plus être signé."},
	},
	"ja": {
		roleInvited:      {"署名のお願い: %s", "%s 様\n\n%[3]s から「%[2]s」への署名の依頼が届いています。"},
		roleReminded:     {"署名のお願い（再送）: %s", "%s 様\n\n%[3]s からの「%[2]s」への署名がまだお済みではありません。"},
		packageCompleted: {"全員の署名が完了しました: %s", "%s 様\n\n%[3]s からの「%[2]s」に全員が署名しました。"},
		packageDeclined:  {"署名が辞退されました: %s", "%s 様\n\n「%[2]s」への署名が辞退されました。"},
		packageOptedOut:  {"電子署名が拒否されました: %s", "%s 様\n\n「%[2]s」への電子署名が拒否されました。"},
		packageExpired:   {"期限が切れました: %s", "%s 様\n\n「%[2]s」は期限が切れたため、署名できません。"},
	},
}
