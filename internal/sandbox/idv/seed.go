package idv

import (
	"cmp"
	"time"

	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// Seed is a transaction of a seed.
type Seed struct {
	ID        string  `yaml:"id"` // a UUID; "" has the platform make one
	FirstName string  `yaml:"firstName"`
	LastName  string  `yaml:"lastName"`
	OpaqueID  *string `yaml:"opaqueID"`
	Status    *string `yaml:"status"` // new
	Result    *string `yaml:"result"` // Passed or Failed
	Stage     *string `yaml:"stage"`
	Age       string  `yaml:"age"` // since its creation, such as 36h; none
}

// Check reports what is wrong with the transaction, which stands at that place.
func (s Seed) Check(rules *wire.Rules, place string) {
	if _, err := uuid.Parse(s.ID); s.ID != "" && (err != nil || len(s.ID) != len(uuid.Nil.String())) {
		rules.Broken(place+".id", "must be a UUID")
	}
	rules.Required(place+".firstName", &s.FirstName)
	rules.Required(place+".lastName", &s.LastName)
	s.change().check(rules, place+".")
	if s.Result != nil && (s.Status == nil || *s.Status != statusCompleted) {
		rules.Broken(place+".result", "goes with the status "+statusCompleted)
	}
	rules.Age(place+".age", s.Age)
}

func (s Seed) change() changeInput {
	return changeInput{Status: s.Status, Result: s.Result, Stage: s.Stage}
}

// plant stores the transactions of the seed, without sending events.
func (s *Server) plant() {
	var made []*transaction
	for _, one := range s.seed {
		age, _ := time.ParseDuration(cmp.Or(one.Age, "0s")) // it was checked
		at := s.now().Add(-age)
		t := newTransaction(inputOf(user{FirstName: one.FirstName, LastName: one.LastName}, one.OpaqueID), one.ID, at)
		t.become(one.change(), at)
		made = append(made, t)
	}
	s.store.add(made)
}
