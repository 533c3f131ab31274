package historytest

import (
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// The gap of replication: Redis answers before its replicas have what was written, so a
// failover may forget it. The models allow that, and no more:
//
//   - a failover forgets only what was answered at most forgottenWithin before it began,
//     or while it went on;
//   - what is final, the end of a session, a spent ceremony and a spent proof, is over again
//     repairedWithin after every node knows of the new master, since nodes repeat it;
//   - what began in the gap is there or is not, and after repairedWithin it is not if it
//     was forgotten;
//   - a key whose package was made in the gap may make one more, unless somebody was told
//     of the first one after the failover: then its record is there.
const (
	forgottenWithin = time.Second
	repairedWithin  = time.Second
)

// What a failover does, beside what answers say.
const (
	forgetsBegin Said = "a failover may forget that it began"
	forgetsEnd   Said = "a failover may forget that it is over"
	forgetsMade  Said = "a failover may forget that it was made"
	repaired     Said = "the nodes have repeated what is final"
)

// forgets returns what a failover may forget of an event, "" for nothing. What a key has
// made is forgotten once, however often it was told.
func forgets(e Event) Said {
	switch {
	case e.Thing == Key && (e.Said == Made || e.Said == Unclear):
		return forgetsMade
	case e.Said == Begun:
		return forgetsBegin
	case e.Said == Ended || e.Said == Accepted || e.Said == Unclear:
		return forgetsEnd
	}
	return ""
}

// mayForget returns what the failover may forget of the events.
func (f Failover) mayForget(events []Event) (all []Said) {
	for _, e := range events {
		recent := e.Answered.After(f.Began.Add(-forgottenWithin)) && e.Asked.Before(f.Known)
		if what := forgets(e); what != "" && recent && !slices.Contains(all, what) {
			all = append(all, what)
		}
	}
	return all
}

// state is a ceremony's or a session's.
type state string

const (
	absent state = "absent"
	there  state = "there"
	over   state = "over"
	// unsettled is over or there, depending on which master a node asks, until the nodes
	// have repeated what is final.
	unsettled state = "unsettled"
)

// rules say, for each answer, in which states it may be given, and what comes then; it is
// given in no other.
type rules map[Said]map[state][]state

// failedOver are the rules of what failovers do to ceremonies and sessions.
var failedOver = rules{
	forgetsBegin: {absent: {absent}, there: {there, unsettled}, over: {over}, unsettled: {unsettled}},
	forgetsEnd:   {absent: {absent}, there: {there}, over: {over, unsettled}, unsettled: {unsettled}},
	repaired:     {absent: {absent}, there: {there}, over: {over}, unsettled: {over}},
}

// once: a ceremony or a proof is spent once.
var once = rules{
	Begun:    {absent: {there}},
	Accepted: {there: {over}, unsettled: {over}},
	Over:     {over: {over}, unsettled: {unsettled}},
	Unknown:  {absent: {absent}, there: {over}, over: {over}, unsettled: {unsettled}},
	Unclear:  {there: {there, over}, over: {over}, unsettled: {unsettled, over}},
}

// sessions: what ended stays ended.
var sessions = rules{
	Begun:   {absent: {there}},
	Used:    {there: {there}, unsettled: {unsettled}},
	Ended:   {there: {over}, over: {over}, unsettled: {unsettled}},
	Over:    {over: {over}, unsettled: {unsettled}},
	Unclear: {there: {there, over}, over: {over}, unsettled: {unsettled, over}},
}

// made is what a key has made: how many packages, and the id of the last one, "" if
// nobody was told.
type made struct {
	packages int
	last     string
	forgot   bool // a failover may have forgotten the last one
}

// keys: a key makes one package.
func keys(s made, e Event) []made {
	another := made{packages: s.packages + 1, last: e.Package}
	switch e.Said {
	case Made:
		return s.tells(e.Package, another)
	case Unclear:
		if s.packages == 0 || s.forgot {
			return []made{s, another}
		}
	case Counted:
		if s.packages != e.Count {
			return nil
		}
	case forgetsMade:
		if s.packages > 0 {
			return []made{s, {s.packages, s.last, true}}
		}
	}
	return []made{s}
}

// tells returns what a key has made once it was said that it has made the package id.
func (s made) tells(id string, another made) (next []made) {
	if s.packages == 0 || s.forgot {
		next = append(next, another)
	}
	if s.packages > 0 && (s.last == "" || s.last == id) {
		next = append(next, made{packages: s.packages, last: id}) // its record is there
	}
	return next
}

var models = map[Thing]porcupine.Model{
	Ceremony: model(absent, once.step),
	Proof:    model(absent, once.step),
	Session:  model(absent, sessions.step),
	Key:      model(made{}, keys),
}

func (r rules) step(s state, e Event) []state {
	if next, known := failedOver[e.Said]; known {
		return next[s]
	}
	return r[e.Said][s]
}

// model makes a model of a step that may lead to several states.
func model[S comparable](first S, step func(S, Event) []S) porcupine.Model {
	all := &porcupine.NondeterministicModel{
		Init: func() []any { return []any{first} },
		Step: func(now, input, _ any) (next []any) {
			for _, s := range step(now.(S), input.(Event)) {
				next = append(next, s)
			}
			return next
		},
	}
	return all.ToModel()
}
