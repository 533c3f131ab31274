package platform

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
	"countersign/internal/upstream"
)

const (
	// pageSize is the most rows that a page of the list has (docs/platform.md I3).
	pageSize = 100
	// mostPages limits how many pages of one user's list are read.
	mostPages = 20
)

// registration is a row of the list. Its members' names are not public: those that are known
// from elsewhere are read.
type registration struct {
	RegistrationID   string    `json:"registrationID"`
	ID               string    `json:"id"`
	RegistrationName string    `json:"registrationName"`
	Name             string    `json:"name"`
	Alias            string    `json:"alias"`
	Type             string    `json:"type"`
	FIDOProtocol     string    `json:"fidoProtocol"`
	RegistrationTime timestamp `json:"registrationTime"`
	LastUsedTime     timestamp `json:"lastUsedTime"`
	AAGUID           string    `json:"aaguid"`
	AAID             string    `json:"aaid"`
	KeyID            string    `json:"keyID"`
	// UserID is a name, with or without its domain; User has it in other answers.
	UserID string `json:"userID"`
	User   string `json:"user"`
	Domain string `json:"domain"`
}

func (r registration) id() string { return cmp.Or(r.RegistrationID, r.ID) }

func (r registration) authenticator(user string) Authenticator {
	protocol, kind := cmp.Or(r.Type, r.FIDOProtocol), Kind("")
	if protocol == UAF11 {
		kind = DeviceBound
	}
	return Authenticator{
		user: user,
		ID:   r.id(), Name: cmp.Or(r.RegistrationName, r.Name, r.Alias), Protocol: protocol, Kind: kind,
		CreatedAt: r.RegistrationTime.Time, LastUsedAt: r.LastUsedTime.Time,
		AAGUID: r.AAGUID, AAID: r.AAID, KeyID: r.KeyID,
	}
}

// belongs reports whether r can be a registration of user: it is unless it names another one.
func (c *Client) belongs(r registration, user string) bool {
	return c.isUser(user, cmp.Or(r.UserID, r.User), r.Domain)
}

// registrations reads user's list of a protocol, or of both if protocol is empty, page by
// page.
func (c *Client) registrations(ctx context.Context, user, protocol string) ([]registration, error) {
	var all []registration
	values := valuesOf(user, "")
	values["type"] = protocol
	read := 0
	for range mostPages {
		query := "offset=" + strconv.Itoa(read) + "&limit=" + strconv.Itoa(pageSize)
		page := page{}
		if err := c.call(ctx, listFIDORegistrations, exchange{values: values, query: query, check: c.pageOf(user, &page)}); err != nil {
			return nil, err
		}
		fresh := page.unread(all)
		all, read = append(all, fresh...), read+len(page.rows)
		if len(fresh) == 0 || !page.goesOn(read) {
			return c.own(ctx, all, user), nil
		}
	}
	return nil, upstream.Unreadable(fmt.Errorf("%s: one user has more than %d registrations", listFIDORegistrations.Name, mostPages*pageSize))
}

// own returns the rows of user, and logs that there were others.
func (c *Client) own(ctx context.Context, all []registration, user string) []registration {
	listed := len(all)
	own := slices.DeleteFunc(all, func(r registration) bool { return !c.belongs(r, user) })
	if others := listed - len(own); others > 0 {
		c.logger.WarnContext(ctx, "authenticators of other users dropped",
			slog.String("operation", listFIDORegistrations.Name), slog.Int("rows", others))
	}
	return own
}

// page is one page of the list. The list may stand under one of three names.
type page struct {
	Registrations     []registration `json:"registrations"`
	FIDORegistrations []registration `json:"fidoRegistrations"`
	Items             []registration `json:"items"`
	// Total is the length of the whole list, if it is a whole number.
	Total  jsontext.Value `json:"total"`
	UserID string         `json:"userID"`
	Domain string         `json:"domain"`

	rows []registration
}

// pageOf returns the judge of a page of user's list, which it fills in. A page without a list
// is an error: if it counted as empty, the next removal would seem to concern the only
// authenticator.
func (c *Client) pageOf(user string, p *page) func(body []byte) error {
	return func(body []byte) error {
		if err := payload.Unmarshal(body, p); err != nil {
			return fmt.Errorf("%s: decode the response: %w", listFIDORegistrations.Name, err)
		}
		if !c.mayName(user, p.UserID, p.Domain) {
			return errOther
		}
		for _, list := range [][]registration{p.Registrations, p.FIDORegistrations, p.Items} {
			if list != nil {
				p.rows = list
				break
			}
		}
		if p.rows == nil {
			return lacks(listFIDORegistrations, "registrations", nil)
		}
		if slices.ContainsFunc(p.rows, func(r registration) bool { return r.id() == "" }) {
			return lacks(listFIDORegistrations, "registrationID", nil)
		}
		return nil
	}
}

// goesOn reports whether there may be more after the rows that were read.
func (p page) goesOn(read int) bool {
	if total, err := strconv.Atoi(string(bytes.TrimSpace(p.Total))); err == nil {
		return read < total
	}
	return len(p.rows) >= pageSize
}

// unread returns the rows that are not among those that were read.
func (p page) unread(read []registration) []registration {
	if len(read) == 0 {
		return p.rows
	}
	return slices.DeleteFunc(p.rows, func(r registration) bool {
		return slices.ContainsFunc(read, func(other registration) bool { return other.id() == r.id() })
	})
}
