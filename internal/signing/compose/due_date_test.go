package compose

import (
	"testing"
	"time"
)

func TestDueAt_LastSecondOfDay(t *testing.T) {
	for _, c := range []struct{ day, zone, want string }{
		{"2031-06-14", "", "2031-06-14T23:59:59Z"}, {"2031-06-14", "America/New_York", "2031-06-15T03:59:59Z"}, {"2031-06-14", "Asia/Tokyo", "2031-06-14T14:59:59Z"},
		{"2024-04-06", "America/Santiago", "2024-04-07T03:59:59Z"}, {"2024-09-07", "America/Santiago", "2024-09-08T03:59:59Z"}, {"2024-09-08", "America/Santiago", "2024-09-09T02:59:59Z"},
		{"2026-10-24", "Asia/Beirut", "2026-10-24T21:59:59Z"}, {"2011-12-30", "Pacific/Apia", "2011-12-30T09:59:59Z"}, {"2010-11-06", "America/St_Johns", "2010-11-07T03:29:59Z"},
		{"2031-01-01", "Pacific/Kiritimati", "2031-01-01T09:59:59Z"}, {"2031-01-01", "Etc/GMT+12", "2031-01-02T11:59:59Z"},
	} {
		at, ok := SendOptions{Due: c.day, Zone: c.zone}.dueAt()
		if got := at.UTC().Format(time.RFC3339); !ok || got != c.want {
			t.Errorf("%s in %q ends at %s, want %s", c.day, c.zone, got, c.want)
		}
	}
}

// What is not touched stays to the second, in any time zone of a reader.
func TestDueDate_UntouchedStays(t *testing.T) {
	for _, moment := range []string{"2031-06-15T03:59:59Z", "2031-06-15T12:30:00Z", "2031-06-15T23:59:59Z", "2031-01-01T00:00:00Z"} {
		for _, zone := range []string{"", "America/New_York", "Asia/Tokyo", "America/Santiago", "Mars/Phobos"} {
			at, _ := time.Parse(time.RFC3339, moment)
			f := New()
			f.showDue(at)
			shown := at.UTC()
			if z, err := time.LoadLocation(zone); err == nil {
				shown = at.In(z)
			}
			day := shown.Format(time.DateOnly) // as a script shows it
			f.TypeSending(map[string]string{"message": "", "due": day, "due_shown": day, "due_at": moment, "zone": zone}, asks)
			if got, ok := f.dueAt(); !ok || !got.Equal(at) || len(f.invalidDue(at.Add(-time.Hour))) > 0 {
				t.Errorf("%s becomes %s in %q", moment, got, zone)
			}
			f.TypeSending(map[string]string{"message": "", "due": "2032-02-29", "due_shown": day, "due_at": moment, "zone": "Asia/Tokyo"}, asks)
			if got, _ := f.dueAt(); got.UTC().Format(time.RFC3339) != "2032-02-29T14:59:59Z" {
				t.Errorf("another day ends at %s", got)
			}
		}
	}
}

func TestSendOptions_UnknownZoneRefused(t *testing.T) {
	for _, zone := range []string{"Mars/Phobos", "Local", "../etc/passwd", "utc+1"} {
		fields := SendOptions{Due: "2031-06-15", Zone: zone}.invalidDue(time.Unix(0, 0))
		if len(fields) != 1 || fields[0].Detail != "field.zone" {
			t.Errorf("%q: %v", zone, fields)
		}
	}
}

// The device knows a time zone that is not known here: the end of the day is the one that it
// tells, unless that is no end of the day in any zone. A zone that is known decides itself.
func TestDueAt_ZoneOfDeviceOnly(t *testing.T) {
	for _, c := range []struct{ zone, end, want string }{
		{"America/Coyhaique_New", "2031-06-16T02:59:59.000Z", "2031-06-16T02:59:59Z"},
		{"Mars/Phobos", "2031-06-15T09:59:59Z", "2031-06-15T09:59:59Z"},
		{"Mars/Phobos", "2031-06-16T11:59:59Z", "2031-06-16T11:59:59Z"},
		{"Mars/Phobos", "2031-06-15T23:59:59+02:00", "2031-06-15T21:59:59Z"},
		{"Asia/Tokyo", "2031-06-16T02:59:59Z", "2031-06-15T14:59:59Z"},
		{"", "2031-06-16T02:59:59Z", "2031-06-15T23:59:59Z"},
		{"Mars/Phobos", "2031-06-18T02:59:59Z", ""},
		{"Mars/Phobos", "2031-06-14T02:59:59Z", ""},
		{"Mars/Phobos", "2031-06-15", ""},
		{"Local", "", ""},
	} {
		f := New()
		f.TypeSending(map[string]string{"message": "", "due": "2031-06-15", "due_shown": "2031-06-14", "due_at": "2031-06-14T23:59:59Z", "zone": c.zone, "due_end": c.end}, asks)
		at, ok := f.dueAt()
		got := ""
		if ok {
			got = at.UTC().Format(time.RFC3339)
		}
		if got != c.want || (len(f.invalidDue(time.Unix(0, 0))) > 0) != (c.want == "") {
			t.Errorf("%q in %q is %q, want %q", c.end, c.zone, got, c.want)
		}
	}
	f := New()
	f.TypeSending(map[string]string{"message": "", "due": "", "zone": "Mars/Phobos", "due_end": "2031-06-15T09:59:59Z"}, asks)
	if at, ok := f.dueAt(); ok || len(f.invalidDue(time.Unix(0, 0))) > 0 {
		t.Errorf("no day ends at %s", at)
	}
}
