package platform

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
	"countersign/internal/upstream"
)

// Search selects accounts. Empty members select all.
type Search struct {
	// UserID is a part of the name before the domain; an asterisk in it stands for any
	// characters. After an @ it goes on with a whole domain.
	UserID string
	// DisplayName and EmailAddress are whole.
	DisplayName, EmailAddress string
	// Offset is the number of accounts before the page, Limit how many it has at most: 1 to
	// MostFound.
	Offset, Limit int
}

// MostFound is the most accounts that a page has.
const MostFound = pageSize

// maxPattern limits a pattern at the platform, in characters.
const maxPattern = 255

// Found is a page of the accounts that a Search selects, in the platform's order.
type Found struct {
	Users []FoundUser
	// Total is the number of accounts on all pages.
	Total int
}

// FoundUser is an account that was found.
type FoundUser struct {
	// ID is userID@domain.
	ID string
	User
	// Status is User.State; "" if the platform does not tell it.
	Status string
}

// FindUsers returns a page of the accounts that s selects. Rows that s does not select, such as
// those of another domain, are dropped and logged.
func (c *Client) FindUsers(ctx context.Context, s Search) (Found, error) {
	var said jsontext.Value
	if err := c.call(ctx, queryUsers, exchange{query: s.query().Encode(), out: &said}); err != nil {
		return Found{}, err
	}
	page, err := readUsersPage(said)
	if err != nil {
		return Found{}, err
	}
	out := Found{Users: make([]FoundUser, 0, len(page.Users)), Total: s.Offset + len(page.Users)}
	if total, err := strconv.Atoi(string(page.Total)); err == nil {
		out.Total = max(total, 0)
	}
	selects := s.selects()
	for _, row := range page.Users {
		if one := row.found(); selects(one) {
			out.Users = append(out.Users, one)
		}
	}
	if others := len(page.Users) - len(out.Users); others > 0 {
		c.logger.WarnContext(ctx, "users outside the search dropped",
			slog.String("operation", queryUsers.Name), slog.Int("rows", others))
	}
	return out, nil
}

// pattern returns the part of the name as the platform looks for it, and the domain.
func (s Search) pattern() (pattern, domain string) {
	part, domain, _ := strings.Cut(s.UserID, "@")
	if part != "" && utf8.RuneCountInString(part) <= maxPattern-2 {
		part = "*" + strings.Trim(part, "*") + "*"
	}
	return strings.ReplaceAll(part, "**", "*"), domain
}

func (s Search) query() url.Values {
	pattern, domain := s.pattern()
	values := url.Values{"offset": {strconv.Itoa(s.Offset)}, "limit": {strconv.Itoa(s.Limit)}}
	for name, value := range map[string]string{
		"userID": pattern, "domain": domain, "displayName": s.DisplayName, "emailAddress": s.EmailAddress,
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return values
}

// selects returns what tells whether an account is one that s looks for.
func (s Search) selects() func(FoundUser) bool {
	pattern, domain := s.pattern()
	name := regexp.MustCompile("(?is)^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$")
	same := func(asked, said string) bool { return asked == "" || strings.EqualFold(asked, said) }
	return func(u FoundUser) bool {
		return ValidUser(u.ID) && (pattern == "" || name.MatchString(u.UserID)) && same(domain, u.Domain) &&
			same(s.DisplayName, u.DisplayName) && same(s.EmailAddress, u.EmailAddress)
	}
}

// usersPage is a page of accounts. It stands alone, or as the only one in a list.
type usersPage struct {
	Users []readUser     `json:"users"`
	Total jsontext.Value `json:"total"`
}

// readUsersPage reads a page: an error unless there is a list of accounts.
func readUsersPage(text []byte) (page usersPage, err error) {
	if jsontext.Value(text).Kind() == '[' {
		var pages []usersPage
		if err = payload.Unmarshal(text, &pages); err == nil && len(pages) == 1 {
			page = pages[0]
		}
	} else {
		err = payload.Unmarshal(text, &page)
	}
	if err == nil && page.Users == nil {
		err = fmt.Errorf("%s: the response lacks users", queryUsers.Name)
	}
	if err != nil {
		return page, upstream.Unreadable(err)
	}
	return page, nil
}

// found returns the account of a row.
func (r readUser) found() FoundUser {
	name, domain, _ := strings.Cut(r.UserID, "@")
	out := FoundUser{User: r.User}
	out.UserID, out.Domain = name, cmp.Or(r.Domain, domain)
	out.ID = out.UserID + "@" + out.Domain
	if r.Enabled != nil && r.Locked != nil {
		out.Enabled, out.Locked = *r.Enabled, *r.Locked
		out.Status = out.State()
	}
	return out
}
