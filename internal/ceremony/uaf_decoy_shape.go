package ceremony

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/uaf"
)

// maxModels is how many models are remembered: more than a platform is likely to
// trust.
const maxModels = 64

// dictionary says what becomes of those parts of an AuthenticationRequest that
// are the person's or the answer's alone. The rest stays.
type dictionary struct {
	serverData, challenge, accepted func(value []byte) ([]byte, error)
	// data is for that of extensions, where it says more than yes or no.
	data func(text string) string
}

// uafShape blanks the challenge, serverData and what extensions carry, and leaves
// one of the alternatives that name keys, blanked; which models there are goes
// into s.
func (s *shape) uafShape(message, user string, secrets *[]string) (string, error) {
	if len(message) > uaf.MaxMessage {
		return "", errMember
	}
	s.Models = slices.Clone(s.Models)
	return onDictionaries(message, dictionary{
		serverData: func(value []byte) ([]byte, error) { return unsealed(value, user, secrets) },
		challenge:  func(value []byte) ([]byte, error) { return blank(value, secrets) },
		data:       func(text string) string { return textLike(text, telltale) },
		accepted:   func(array []byte) ([]byte, error) { return s.oneAlternative(array, secrets) },
	})
}

// onDictionaries rewrites the dictionaries of a message, one for each version of
// the protocol, and refuses members that the protocol does not have: nobody
// knows whose they are.
func onDictionaries(message string, change dictionary) (string, error) {
	changed, err := onElements([]byte(message), func(value []byte) ([]byte, error) {
		return rewrite(value, func(name string, value []byte) ([]byte, error) {
			switch name {
			case "header":
				return rewrite(value, change.header)
			case "challenge":
				return change.challenge(value)
			case "policy":
				return rewrite(value, change.policy)
			case "transaction":
				if string(value) == "null" {
					return value, nil
				}
			}
			return nil, errMember
		})
	})
	return string(changed), err
}

func (change dictionary) header(name string, value []byte) ([]byte, error) {
	switch name {
	case "upv", "op", "appID":
		return value, nil
	case "serverData":
		if string(value) == "null" {
			return value, nil
		}
		return change.serverData(value)
	case "exts":
		return change.extensions(value)
	}
	return nil, errMember
}

func (change dictionary) policy(name string, value []byte) ([]byte, error) {
	keep := func(criteria []byte) ([]byte, error) { return change.criteria(criteria, true) }
	switch name {
	case "accepted":
		changed, err := onElements(value, func(alternative []byte) ([]byte, error) {
			return onElements(alternative, func(criteria []byte) ([]byte, error) { return change.criteria(criteria, false) })
		})
		if err != nil {
			return nil, err
		}
		return change.accepted(changed)
	case "disallowed":
		if string(value) == "null" {
			return value, nil
		}
		return onElements(value, keep)
	}
	return nil, errMember
}

// criteria changes the extensions of match criteria. Those of what is disallowed
// name no keys, which would be the person's.
func (change dictionary) criteria(criteria []byte, disallowed bool) ([]byte, error) {
	return rewrite(criteria, func(name string, value []byte) ([]byte, error) {
		switch name {
		case "exts":
			return change.extensions(value)
		case "keyIDs":
			if disallowed && string(value) != "null" {
				return nil, errMember
			}
			return value, nil
		case "aaid", "vendorID", "userVerification", "keyProtection", "matcherProtection", "attachmentHint", "tcDisplay",
			"authenticationAlgorithms", "assertionSchemes", "attestationTypes", "authenticatorVersion":
			return value, nil
		}
		return nil, errMember
	})
}

// flag is extension data that says nothing of anybody.
var flag = regexp.MustCompile(`^(?:true|false|[0-9.]{0,4})$`)

func (change dictionary) extensions(array []byte) ([]byte, error) {
	if string(array) == "null" {
		return array, nil
	}
	return onElements(array, func(extension []byte) ([]byte, error) {
		return rewrite(extension, func(name string, value []byte) ([]byte, error) {
			switch name {
			case "id", "fail_if_unknown":
				return value, nil
			case "data":
				var text string
				if err := json.Unmarshal(value, &text); err != nil || flag.MatchString(text) {
					return value, err
				}
				return jsontext.AppendQuote(nil, change.data(text))
			}
			return nil, errMember
		})
	})
}

// criteriaKeys are the members of match criteria that name keys.
type criteriaKeys struct {
	AAIDs  []string `json:"aaid"`
	KeyIDs []string `json:"keyIDs"`
}

func readCriteria(text []byte) (c criteriaKeys, err error) { return c, json.Unmarshal(text, &c) }

// oneAlternative leaves of the alternatives that name keys the first, with one
// criterion of one key, and the alternatives that name none, which are for
// everybody.
func (s *shape) oneAlternative(array []byte, secrets *[]string) ([]byte, error) {
	alternatives, before, after, err := elements(array)
	if err != nil {
		return nil, err
	}
	var kept [][]byte
	found := false
	for _, alternative := range alternatives {
		template, err := s.template(alternative, secrets)
		switch {
		case err != nil:
			return nil, err
		case template == nil:
			kept = append(kept, alternative)
		case !found:
			kept, found = append(kept, template), true
		}
	}
	if len(kept) == 0 {
		return nil, ErrNoCredentials
	}
	return compose(kept, before, after), nil
}

// template is an alternative cut down to its first criterion that names a key,
// blanked; nil if none does. It notes the models of all.
func (s *shape) template(alternative []byte, secrets *[]string) ([]byte, error) {
	all, before, after, err := elements(alternative)
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, criteria := range all {
		members, err := readCriteria(criteria)
		if err != nil {
			return nil, err
		}
		if len(members.KeyIDs) == 0 {
			continue
		}
		blanked, err := s.blankCriteria(criteria, members, secrets)
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = compose([][]byte{blanked}, before, after)
		}
	}
	return out, nil
}

func (s *shape) blankCriteria(criteria []byte, members criteriaKeys, secrets *[]string) ([]byte, error) {
	m := model{}
	for i, text := range members.AAIDs {
		if _, err := uaf.ParseAAID(text); err != nil {
			return nil, err
		}
		if i == 0 {
			m.AAID = text
		}
	}
	changed, err := rewrite(criteria, func(name string, value []byte) ([]byte, error) {
		switch {
		case name == "aaid" && len(members.AAIDs) > 0:
			return replaceOne(value, func([]byte) ([]byte, error) { return []byte(`""`), nil })
		case name == "keyIDs":
			return replaceOne(value, func(keyID []byte) ([]byte, error) {
				decoded, _, err := bytesIn(keyID)
				if err != nil {
					return nil, err
				}
				m.KeyID = len(decoded)
				return blankID(keyID, secrets)
			})
		}
		return value, nil
	})
	if err != nil {
		return nil, err
	}
	for _, keyID := range members.KeyIDs {
		if keyID = strings.TrimRight(keyID, "="); strings.Trim(keyID, "A") != "" {
			*secrets = append(*secrets, keyID)
		}
	}
	s.learn(m)
	return changed, nil
}

// learn keeps what was first seen of a model, so that whoever has it keeps
// theirs. Key IDs longer than the protocol's are nobody's.
func (s *shape) learn(m model) {
	const maxKeyID = 2048
	known := slices.ContainsFunc(s.Models, func(k model) bool { return k.AAID == m.AAID })
	if !known && len(s.Models) < maxModels && m.KeyID <= maxKeyID {
		s.Models = append(s.Models, m)
	}
}

// unsealed is the shape of serverData.
func unsealed(value []byte, user string, secrets *[]string) ([]byte, error) {
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return nil, err
	}
	if len(text) >= tellingLength {
		*secrets = append(*secrets, text)
	}
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(text)
	before, after, named := bytes.Cut(decoded, []byte(user))
	named = named && user != ""
	// A hexadecimal text is base64url too, for all that its characters tell.
	if err != nil || !named && len(alphabetOf(text)) < 5 {
		return json.Marshal(serverData{Text: textLike(text, telltale)})
	}
	if !named {
		before, after = decoded, nil
	}
	return json.Marshal(serverData{Before: len(before), User: named, After: len(after)})
}
