package signing

import "strings"

// text is an e-mail. The subject, which is also the SMS, contains the package's name; the
// body contains the reader's, the package's and the sender's names. plain is the body if
// the package's own message says who asks; "" if the body never says so.
type text struct{ subject, body, plain string }

// textsOf returns the messages to people in the language of a package, or in English if
// the language is unknown.
func textsOf(language string) map[string]text {
	language, _, _ = strings.Cut(strings.ToLower(strings.ReplaceAll(language, "_", "-")), "-")
	if texts, ok := texts[language]; ok {
		return texts
	}
	return texts["en"]
}

// texts are the messages by language and event.
var texts = map[string]map[string]text{
	"en": {
		roleInvited:      {"Please sign: %s", "Hello %s,\n\n%[3]s asks you to sign “%[2]s”.", "Hello %s,\n\nplease sign “%s”."},
		roleReminded:     {"Reminder, please sign: %s", "Hello %s,\n\n“%[2]s” by %[3]s still waits for you to sign.", "Hello %s,\n\n“%s” still waits for you to sign."},
		packageCompleted: {"Signed by all: %s", "Hello %s,\n\nall signers have signed “%[2]s” by %[3]s.", "Hello %s,\n\nall signers have signed “%s”."},
		packageDeclined:  {subject: "Declined: %s", body: "Hello %s,\n\n“%[2]s” has been declined."},
		packageOptedOut:  {subject: "Refused: %s", body: "Hello %s,\n\na signer of “%[2]s” does not want to sign electronically."},
		packageExpired:   {subject: "Expired: %s", body: "Hello %s,\n\n“%[2]s” has expired and can no longer be signed."},
	},
	"de": {
		roleInvited:      {"Bitte unterschreiben: %s", "Guten Tag %s,\n\n%[3]s bittet Sie, „%[2]s“ zu unterschreiben.", "Guten Tag %s,\n\nbitte unterschreiben Sie „%s“."},
		roleReminded:     {"Erinnerung, bitte unterschreiben: %s", "Guten Tag %s,\n\n„%[2]s“ von %[3]s wartet noch auf Ihre Unterschrift.", "Guten Tag %s,\n\n„%s“ wartet noch auf Ihre Unterschrift."},
		packageCompleted: {"Von allen unterschrieben: %s", "Guten Tag %s,\n\nalle haben „%[2]s“ von %[3]s unterschrieben.", "Guten Tag %s,\n\nalle haben „%s“ unterschrieben."},
		packageDeclined:  {subject: "Abgelehnt: %s", body: "Guten Tag %s,\n\n„%[2]s“ wurde abgelehnt."},
		packageOptedOut:  {subject: "Verweigert: %s", body: "Guten Tag %s,\n\njemand möchte „%[2]s“ nicht elektronisch unterschreiben."},
		packageExpired:   {subject: "Abgelaufen: %s", body: "Guten Tag %s,\n\n„%[2]s“ ist abgelaufen und kann nicht mehr unterschrieben werden."},
	},
	"es": {
		roleInvited:      {"Firme, por favor: %s", "Hola, %s:\n\n%[3]s le pide que firme «%[2]s».", "Hola, %s:\n\nfirme, por favor, «%s»."},
		roleReminded:     {"Recordatorio, firme, por favor: %s", "Hola, %s:\n\n«%[2]s», de %[3]s, sigue pendiente de su firma.", "Hola, %s:\n\n«%s» sigue pendiente de su firma."},
		packageCompleted: {"Firmado por todos: %s", "Hola, %s:\n\ntodos han firmado «%[2]s», de %[3]s.", "Hola, %s:\n\ntodos han firmado «%s»."},
		packageDeclined:  {subject: "Rechazado: %s", body: "Hola, %s:\n\n«%[2]s» ha sido rechazado."},
		packageOptedOut:  {subject: "Denegado: %s", body: "Hola, %s:\n\nalguien no desea firmar «%[2]s» electrónicamente."},
		packageExpired:   {subject: "Caducado: %s", body: "Hola, %s:\n\n«%[2]s» ha caducado y ya no se puede firmar."},
	},
	"fr": {
		roleInvited:      {"Veuillez signer : %s", "Bonjour %s,\n\n%[3]s vous demande de signer « %[2]s ».", "Bonjour %s,\n\nveuillez signer « %s »."},
		roleReminded:     {"Rappel, veuillez signer : %s", "Bonjour %s,\n\n« %[2]s » de %[3]s attend toujours votre signature.", "Bonjour %s,\n\n« %s » attend toujours votre signature."},
		packageCompleted: {"Signé par tous : %s", "Bonjour %s,\n\ntous ont signé « %[2]s » de %[3]s.", "Bonjour %s,\n\ntous ont signé « %s »."},
		packageDeclined:  {subject: "Décliné : %s", body: "Bonjour %s,\n\n« %[2]s » a été décliné."},
		packageOptedOut:  {subject: "Refusé : %s", body: "Bonjour %s,\n\nune personne ne souhaite pas signer « %[2]s » par voie électronique."},
		packageExpired:   {subject: "Expiré : %s", body: "Bonjour %s,\n\n« %[2]s » a expiré et ne peut plus être signé."},
	},
	"ja": {
		roleInvited:      {"署名のお願い: %s", "%s 様\n\n%[3]s から「%[2]s」への署名の依頼が届いています。", "%s 様\n\n「%s」への署名をお願いいたします。"},
		roleReminded:     {"署名のお願い（再送）: %s", "%s 様\n\n%[3]s からの「%[2]s」への署名がまだお済みではありません。", "%s 様\n\n「%s」への署名がまだお済みではありません。"},
		packageCompleted: {"全員の署名が完了しました: %s", "%s 様\n\n%[3]s からの「%[2]s」に全員が署名しました。", "%s 様\n\n「%s」に全員が署名しました。"},
		packageDeclined:  {subject: "署名が辞退されました: %s", body: "%s 様\n\n「%[2]s」への署名が辞退されました。"},
		packageOptedOut:  {subject: "電子署名が拒否されました: %s", body: "%s 様\n\n「%[2]s」への電子署名が拒否されました。"},
		packageExpired:   {subject: "期限が切れました: %s", body: "%s 様\n\n「%[2]s」は期限が切れたため、署名できません。"},
	},
}
