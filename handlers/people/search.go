package people

import (
	"net/http"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/request"
	"countersign/internal/safetext"
)

type peopleBody struct {
	People []personUser `json:"people"`
	Offset int          `json:"offset"`
	Limit  int          `json:"limit"`
	// Total is the number of people on all pages.
	Total int `json:"total"`
}

// searches are the parameters that look for people.
var searches = []string{"userID", "displayName", "emailAddress"}

// searched reports whether the request looks for people.
func searched(c *gin.Context) bool {
	return slices.ContainsFunc(searches, func(name string) bool { return safetext.Visible(c.Query(name)) != "" })
}

// searchLimit limits a text that is looked for, in characters.
const searchLimit = 255

// searchOf reads what the request looks for.
func searchOf(c *gin.Context) (platform.Search, error) {
	var wrong []fault.Field
	text := func(name string, clean func(string) string) string {
		value := clean(c.Query(name))
		if utf8.RuneCountInString(value) > searchLimit || !utf8.ValidString(value) {
			wrong = append(wrong, fault.Field{Pointer: "/" + name, Detail: "field.name-length"})
		}
		return value
	}
	number := func(name string, otherwise, least, most int) int {
		value, given := c.GetQuery(name)
		if !given {
			return otherwise
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < least || n > most {
			wrong = append(wrong, fault.Field{Pointer: "/" + name, Detail: "field.people-page"})
		}
		return n
	}
	s := platform.Search{
		UserID: text("userID", safetext.Visible), DisplayName: text("displayName", safetext.Trim), EmailAddress: text("emailAddress", safetext.Visible),
	}
	s.Offset, s.Limit = number("offset", 0, 0, 1<<30), number("limit", platform.MostFound, 1, platform.MostFound)
	if len(wrong) > 0 {
		return s, fault.Invalid(wrong...)
	}
	return s, nil
}

// Search answers GET /people?userID=… as JSON.
func (h People) Search(c *gin.Context) error {
	who, err := h.Actors.Actor(c)
	if err != nil {
		return err
	}
	s, err := searchOf(c)
	if err != nil {
		return err
	}
	found, err := h.Service.Search(c.Request.Context(), who, s)
	if err != nil {
		return err
	}
	body := peopleBody{People: make([]personUser, 0, len(found.Users)), Offset: s.Offset, Limit: s.Limit, Total: found.Total}
	for _, one := range found.Users {
		body.People = append(body.People, personUser{
			ID: one.ID, DisplayName: request.Known(one.DisplayName), Email: request.Known(one.EmailAddress), Status: request.Known(one.Status),
		})
	}
	return request.Answer(c, http.StatusOK, body)
}
