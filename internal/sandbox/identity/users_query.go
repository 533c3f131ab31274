package identity

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"countersign/internal/sandbox/wire"
)

// usersQuery selects accounts. A text is "" and a flag is nil where any will do.
type usersQuery struct {
	userID, displayName, emailAddress, domain         string
	enabled, locked, expired, hasDevice, hasAdminFlag *bool
	page
}

// readUsersQuery reads the query of GET /users. In userID an asterisk stands for any
// characters; elsewhere it stands for any text as a whole.
func readUsersQuery(values url.Values) (usersQuery, error) {
	q := usersQuery{page: page{Limit: 20}}
	var rules wire.Rules
	texts := map[string]struct {
		to   *string
		most int
	}{"userID": {&q.userID, 255}, "displayName": {&q.displayName, 255}, "emailAddress": {&q.emailAddress, 254}, "domain": {&q.domain, 255}}
	flags := map[string]**bool{
		"enabled": &q.enabled, "locked": &q.locked, "expired": &q.expired, "hasAuthenticatorAssigned": &q.hasDevice, "hasAdminPrivileges": &q.hasAdminFlag,
	}
	for name := range values {
		value := values.Get(name)
		text, isText := texts[name]
		flag, isFlag := flags[name]
		switch {
		case isText && utf8.RuneCountInString(value) > text.most:
			rules.Broken(name, "must have at most "+strconv.Itoa(text.most)+" characters")
		case isText && value != "*":
			*text.to = value
		case isText:
		case isFlag && value != "true" && value != "false":
			rules.Broken(name, "must be true or false")
		case isFlag:
			*flag = new(value == "true")
		case !q.read(&rules, name, value):
			rules.Broken(name, "is not a parameter of this operation")
		}
	}
	return q, rules.Err()
}

func (q usersQuery) takes(o userOutput) bool {
	for _, flag := range []struct {
		asked *bool
		is    bool
	}{{q.enabled, o.Enabled}, {q.locked, o.Locked}, {q.expired, o.Expired}, {q.hasDevice, o.HasAuthenticatorAssigned}, {q.hasAdminFlag, false}} {
		if flag.asked != nil && *flag.asked != flag.is {
			return false
		}
	}
	return (q.userID == "" || matches(q.userID, o.UserID)) && (q.domain == "" || strings.EqualFold(q.domain, o.Domain)) &&
		(q.displayName == "" || q.displayName == o.DisplayName) && (q.emailAddress == "" || strings.EqualFold(q.emailAddress, o.EmailAddress))
}

// matches reports whether text, in any case, is pattern with any characters instead of its
// asterisks.
func matches(pattern, text string) bool {
	parts := strings.Split(strings.ToLower(pattern), "*")
	rest, ok := strings.CutPrefix(strings.ToLower(text), parts[0])
	if len(parts) == 1 {
		return ok && rest == ""
	}
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return ok && strings.HasSuffix(rest, parts[len(parts)-1])
}

// page is a part of a list, as a query asks for it, and an answer says it.
type page struct {
	Count  int `json:"count"`
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
	Total  int `json:"total"`
}

// read takes a parameter of a query, and reports false for one that is not of a page.
func (p *page) read(rules *wire.Rules, name, value string) bool {
	number, err := strconv.Atoi(value)
	switch {
	case name == "offset" && err == nil && number >= 0:
		p.Offset = number
	case name == "limit" && err == nil && number >= 1 && number <= 100:
		p.Limit = number
	case name == "offset" || name == "limit":
		rules.Broken(name, "must be a number: offset from 0, limit from 1 to 100")
	default:
		return false
	}
	return true
}

// part returns the page of all, and completes it.
func part[T any](all []T, p *page) []T {
	p.Total = len(all)
	all = all[min(p.Offset, p.Total):]
	all = all[:min(p.Limit, len(all))]
	p.Count = len(all)
	return all
}

// usersOutput is a page of accounts.
type usersOutput struct {
	Users []userOutput `json:"users"`
	page
}

// queryUsers lists accounts in the order of their names. The page stands in a list of one, as
// the platform's document has it.
func (s *Server) queryUsers(r *http.Request) (any, error) {
	q, err := readUsersQuery(r.URL.Query())
	if err != nil {
		return nil, err
	}
	found := []userOutput{}
	for _, person := range s.accounts.people.List() {
		a, err := s.accounts.find(person.ID)
		if err != nil {
			continue // gone meanwhile
		}
		if out := s.userOutput(a); q.takes(out) {
			found = append(found, out)
		}
	}
	found = part(found, &q.page)
	return []usersOutput{{found, q.page}}, nil
}
