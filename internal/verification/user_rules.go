package verification

import (
	"strings"
	"time"

	"countersign/internal/payload"
)

func (e *examination) users(whole *node) {
	users := e.objects(whole, "users")
	switch n := whole.get("users"); {
	case n == nil:
		e.note("/users", "field.required")
	case n.kind == '[' && len(n.elements) == 0:
		e.note("/users", "field.empty")
	case e.Self && len(n.elements) > 1:
		e.note("/users", "field.self")
	}
	for _, user := range users {
		e.creation.told = append(e.creation.told, user.texts()...)
		e.required(user, "first_name")
		e.required(user, "last_name")
		e.sized(user, "company", 128, "field.company")
		e.emails(user)
		if phone, ok := e.string(user, "phone_number"); ok && !payload.IsPhone(phone) {
			e.note(user.pointer+"/phone_number", "field.phone")
		}
		e.birth(user)
		e.address(user)
	}
}

func (e *examination) emails(user *node) {
	n := user.get("emails")
	if n == nil {
		return
	}
	if n.kind != '[' {
		e.note(n.pointer, "field.list")
	}
	for _, email := range n.elements {
		switch {
		case email.kind != '"':
			e.note(email.pointer, "field.string")
		case !payload.IsAddress(email.text):
			e.note(email.pointer, "field.email")
		case e.Production && payload.IsReserved(email.text):
			e.note(email.pointer, "field.email-reserved")
		}
	}
}

// midnight is the layout of the dates of birth that are sent to the platform.
const midnight = "2006-01-02T15:04:05.000Z"

func (e *examination) birth(user *node) {
	text, ok := e.string(user, "dob")
	if !ok {
		return
	}
	date, err := time.Parse(time.DateOnly, text)
	if err != nil {
		date, err = time.Parse(time.RFC3339, text)
		date = date.UTC()
	}
	today := e.Now().UTC().Truncate(24 * time.Hour)
	if err != nil || !date.Equal(date.Truncate(24*time.Hour)) || !date.Before(today) {
		e.note(user.pointer+"/dob", "field.birth-date")
		return
	}
	if sent := date.Format(midnight); sent != text {
		e.creation.edits = append(e.creation.edits, edit{user.get("dob").span, quote(sent)})
	}
}

func (e *examination) address(user *node) {
	address := user.get("address")
	if address == nil {
		return
	}
	if address.kind != '{' {
		e.note(address.pointer, "field.object")
		return
	}
	if code, ok := e.string(address, "country_code"); ok && (len(code) != 2 || !strings.Contains(countries, " "+code+" ")) {
		e.note(address.pointer+"/country_code", "field.country")
	}
}

// Countries returns the country codes of ISO 3166-1 alpha-2.
func Countries() []string { return strings.Fields(countries) }

// countries lists the country codes of ISO 3166-1 alpha-2.
const countries = " AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ" +
	" CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR" +
	" GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP" +
	" KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ" +
	" NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW" +
	" SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ" +
	" UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW "
