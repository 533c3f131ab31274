package verification

import (
	"bytes"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
	"countersign/internal/safetext"
)

func (e *examination) users(whole payload.Object) {
	switch list, ok := whole.Member("users"); {
	case !ok:
		whole.Note("users", "field.required")
	case list.Kind() == '[' && list.Count() == 0:
		list.Note("field.empty")
	case e.Self && list.Count() > 1:
		list.Note("field.self")
	}
	for user := range whole.Objects("users") {
		e.creation.personal = append(e.creation.personal, textsIn(user.Raw())...)
		user.NonEmpty("first_name")
		user.NonEmpty("last_name")
		onLine(user, "first_name", "last_name", "company")
		user.Sized("company", 128, "field.company")
		e.emails(user)
		if phone, ok := user.Text("phone_number"); ok && !payload.IsPhone(phone) {
			user.Note("phone_number", "field.phone")
		}
		e.birth(user)
		e.address(user)
	}
}

// onLine notes the named texts that have control characters or turn the direction of
// writing.
func onLine(o payload.Object, names ...string) {
	for _, name := range names {
		if v, ok := o.Member(name); ok && !safetext.IsLine(v.StringOrEmpty()) {
			o.Note(name, "field.controls")
		}
	}
}

// textsIn returns the strings in a value of two bytes or more, and the dates of timestamps.
func textsIn(value jsontext.Value) (all []string) {
	for d := jsontext.NewDecoder(bytes.NewBuffer(value)); ; {
		token, err := d.ReadToken()
		if err != nil {
			return all
		}
		if kind, length := d.StackIndex(d.StackDepth()); token.Kind() != '"' || kind == '{' && length%2 == 1 { // a name
			continue
		}
		text := token.String()
		if len(text) > 1 {
			all = append(all, text)
		}
		if day, _, isTime := strings.Cut(text, "T"); isTime && len(day) == len(time.DateOnly) {
			all = append(all, day)
		}
	}
}

func (e *examination) emails(user payload.Object) {
	for email := range user.Elements("emails") {
		switch text, ok := email.Text(); {
		case !ok:
		case !payload.IsAddress(text):
			email.Note(payload.AddressDetail(text))
		case e.Production && payload.IsReserved(text):
			email.Note("field.email-reserved")
		}
	}
}

// midnight is the layout of the dates of birth that are sent to the platform.
const midnight = "2006-01-02T15:04:05.000Z"

func (e *examination) birth(user payload.Object) {
	text, ok := user.Text("dob")
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
		user.Note("dob", "field.birth-date")
		return
	}
	if sent := date.Format(midnight); sent != text {
		e.creation.setText(user, "dob", sent)
	}
}

func (e *examination) address(user payload.Object) {
	address, ok := user.Object("address")
	if !ok {
		return
	}
	if code, ok := address.Text("country_code"); ok && (len(code) != 2 || !strings.Contains(countries, " "+code+" ")) {
		address.Note("country_code", "field.country")
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
