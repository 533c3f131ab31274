package compose

import (
	"strings"
	"time"
	_ "time/tzdata" // so that every node knows the senders' time zones

	"countersign/internal/fault"
)

// furthest is how far a time zone is from UTC, and what clocks are put by.
const furthest = 26 * time.Hour

// typeDue takes over what was typed about the last day. A day that is the one shown, due_shown,
// leaves the moment that it was shown for, due_at, as it is. Where the device's time zone is not
// known here, the device's own end of the day counts, due_end.
func (s *SendOptions) typeDue(typed map[string]string) {
	s.Due, s.Zone, s.At = strings.TrimSpace(typed["due"]), strings.TrimSpace(typed["zone"]), ""
	at, err := time.Parse(time.RFC3339, typed["due_at"])
	if err == nil && s.Due != "" && s.Due == typed["due_shown"] {
		s.At = at.UTC().Format(time.RFC3339)
		return
	}
	if _, known := s.zone(); known {
		return
	}
	day, err := time.Parse(time.DateOnly, s.Due)
	end, invalid := time.Parse(time.RFC3339, typed["due_end"])
	if err == nil && invalid == nil && end.Sub(day.AddDate(0, 0, 1)).Abs() <= furthest {
		s.At = end.UTC().Format(time.RFC3339)
	}
}

// zone returns the time zone in which a day was typed; ok is false for one that is not known.
func (s SendOptions) zone() (zone *time.Location, ok bool) {
	if s.Zone == "Local" { // the server's own
		return time.UTC, false
	}
	zone, err := time.LoadLocation(s.Zone)
	if err != nil {
		return time.UTC, false
	}
	return zone, true
}

// dueAt returns until when the package may be signed: the moment that stays, else the end of the
// day that was typed; ok is false for none.
func (s SendOptions) dueAt() (at time.Time, ok bool) {
	if at, err := time.Parse(time.RFC3339, s.At); err == nil {
		return at, true
	}
	day, err := time.Parse(time.DateOnly, s.Due)
	zone, known := s.zone()
	if err != nil || !known {
		return at, false
	}
	return lastSecond(day, zone), true
}

// DueAt returns until when the package may be signed, for a page; zero for no time. exactly says
// that it is another time than the end of the day that is shown.
func (s SendOptions) DueAt() (at time.Time, exactly bool) {
	at, ok := s.dueAt()
	if !ok {
		return time.Time{}, false
	}
	end, _ := SendOptions{Due: s.Due, Zone: s.Zone}.dueAt()
	return at, !at.Equal(end)
}

// showDue shows a moment of the platform as a day, in the time zone that was last typed.
func (s *SendOptions) showDue(at time.Time) {
	zone, known := s.zone()
	if !known {
		s.Zone = ""
	}
	s.Due, s.At = at.In(zone).Format(time.DateOnly), at.UTC().Format(time.RFC3339)
}

// lastSecond returns the last second of a day in a time zone. Where clocks are put back at
// midnight it is the second of the two; where no clock shows 23:59:59, it is the one before
// clocks were put forward.
func lastSecond(day time.Time, zone *time.Location) time.Time {
	wall := time.Date(day.Year(), day.Month(), day.Day(), 23, 59, 59, 0, time.UTC)
	offset := func(at time.Time) time.Duration {
		_, seconds := at.In(zone).Zone()
		return time.Duration(seconds) * time.Second
	}
	var last, forward time.Time
	for at, end := wall.Add(-furthest), wall.Add(furthest); at.Before(end); {
		if shows := wall.Add(-offset(at)); offset(shows) == offset(at) {
			last = shows
		}
		_, next := at.In(zone).ZoneBounds()
		if next.IsZero() {
			break
		}
		if next.Add(offset(next.Add(-time.Second))).Add(-time.Second).Before(wall) && next.Add(offset(next)).After(wall) {
			forward = next.Add(-time.Second)
		}
		at = next
	}
	if last.IsZero() {
		return forward.In(zone)
	}
	return last.In(zone)
}

// invalidDue returns the violation of a day that is none, is over, or is of a time zone that is
// not known; "" for none.
func (s SendOptions) invalidDue(now time.Time) (fields []fault.Field) {
	detail := ""
	at, ok := s.dueAt()
	_, isDay := time.Parse(time.DateOnly, s.Due)
	_, known := s.zone()
	switch {
	case s.Due == "":
	case !ok && isDay == nil && !known:
		detail = "field.zone"
	case !ok:
		detail = "field.day"
	case !at.After(now):
		detail = "field.day-over"
	}
	if detail == "" {
		return nil
	}
	return []fault.Field{{Pointer: "due", Detail: detail}}
}
