package identity

import "github.com/go-json-experiment/json/jsontext"

// clientData holds what a payload may say about the client and the person. The sandbox
// checks it, and does nothing with it.
type clientData struct {
	ClientIP          *string    `json:"clientIP"`
	CDDC              *cddcInput `json:"cddc"`
	AppLanguage       *string    `json:"appLanguage"`
	CookieID          *string    `json:"cookieID"`
	CookieSession     *string    `json:"cookieSession"`
	EmailAddress      *string    `json:"emailAddress"`
	HTTPHeader        *string    `json:"httpHeader"`
	MobilePhoneNumber *string    `json:"mobilePhoneNumber"`
	Referer           *string    `json:"referer"`
}

// cddcInput is the data that a browser or a phone has collected about itself. The members of
// a browser's are optional since release 24.R2.
type cddcInput struct {
	Browser *struct {
		FingerprintRaw  map[string]jsontext.Value `json:"fingerprintRaw"`
		FingerprintHash *string                   `json:"fingerprintHash"`
	} `json:"browserCDDC"`
	Mobile map[string]jsontext.Value `json:"mobileCDDC"`
}

func (in clientData) validate(r *rules) {
	r.Matches("clientIP", in.ClientIP, dotted, "in dot-decimal notation")
	r.Length("appLanguage", in.AppLanguage, 0, 50)
	r.Length("cookieID", in.CookieID, 0, 250)
	r.Length("cookieSession", in.CookieSession, 0, 4000)
	r.Length("emailAddress", in.EmailAddress, 0, 254)
	r.Length("httpHeader", in.HTTPHeader, 0, 4000)
	r.Length("mobilePhoneNumber", in.MobilePhoneNumber, 0, 250)
	r.Length("referer", in.Referer, 0, 4000)
	if in.CDDC != nil {
		in.CDDC.validate(r)
	}
}

func (in cddcInput) validate(r *rules) {
	if (in.Browser == nil) == (in.Mobile == nil) {
		r.Broken("cddc", "must have one of browserCDDC and mobileCDDC")
	}
	if in.Browser != nil {
		r.Length("cddc.browserCDDC.fingerprintHash", in.Browser.FingerprintHash, 1, 2000)
	}
}

// adaptiveData is what an input of risk analytics has besides. It is for
// AdaptiveLoginInput alone.
type adaptiveData struct {
	RelationshipRef *string `json:"relationshipRef"`
	SessionID       *string `json:"sessionID"`
	ApplicationRef  *string `json:"applicationRef"`
}

func (in adaptiveData) validate(r *rules, adaptive bool) {
	if !adaptive {
		for field, value := range map[string]*string{"relationshipRef": in.RelationshipRef, "sessionID": in.SessionID, "applicationRef": in.ApplicationRef} {
			if value != nil {
				r.Broken(field, "is for "+adaptiveLogin+" only")
			}
		}
		return
	}
	r.Required("relationshipRef", in.RelationshipRef)
	r.Length("relationshipRef", in.RelationshipRef, 0, 150)
	r.Required("sessionID", in.SessionID)
	r.Length("sessionID", in.SessionID, 2, 100)
	r.Matches("sessionID", in.SessionID, hexForm, "hexadecimal")
	r.Length("applicationRef", in.ApplicationRef, 0, 64)
}

// messageInput is the text of a push, with its bounds. Whatever else it has is ignored.
type messageInput struct {
	Subject *string `json:"subject"`
	Title   *struct {
		Text *string                   `json:"text"`
		Rest map[string]jsontext.Value `json:",embed"`
	} `json:"title"`
}

func (in messageInput) validate(r *rules, at string) {
	r.Length(at+".subject", in.Subject, 1, 42)
	r.Matches(at+".subject", in.Subject, visible, "visible")
	if in.Title != nil {
		r.Length(at+".title.text", in.Title.Text, 1, 30)
	}
}
