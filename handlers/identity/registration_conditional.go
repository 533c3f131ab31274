package identity

import (
	"slices"

	"github.com/gin-gonic/gin"

	"countersign/internal/request"
	"countersign/internal/signin"
)

const (
	// conditionalHeader with the value conditionalCreate says that nobody has asked for the
	// passkey: a password manager makes it by itself (Web Authentication Level 3, section
	// 5.1.3, mediation "conditional").
	conditionalHeader = "Countersign-Conditional"
	conditionalCreate = "create"
)

// isConditional reports whether the request is for a passkey that nobody asked for. While that
// is switched off, the header means nothing.
func (h Registration) isConditional(c *gin.Context) bool {
	return h.Conditional && c.GetHeader(conditionalHeader) == conditionalCreate
}

// take counts a registration. What nobody asked for has a separate count, and so keeps
// nobody from adding a passkey.
func (h Registration) take(c *gin.Context, conditional bool) error {
	if conditional {
		return h.Limits.TakeConditional(c)
	}
	return h.Limits.TakeCeremony(c)
}

// Offers reports whether a page may have a passkey made by itself: its person has just signed in
// by password alone, and no page has tried that on this device for 30 days.
func (h Registration) Offers(c *gin.Context) bool {
	person, ok := request.Person(c)
	if !h.Conditional || !ok || h.StepUp.Needed(c) || h.Device.triedConditional(c.Request, person.ID) {
		return false
	}
	methods := request.From(c).Session.Methods()
	return slices.Contains(methods, signin.MethodPassword) && !slices.Contains(methods, signin.MethodFIDO2)
}
