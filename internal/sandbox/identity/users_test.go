package identity

import (
	"net/url"
	"strings"
	"testing"
)

func TestMatches_Patterns(t *testing.T) {
	for _, test := range []struct{ pattern, yes, no string }{
		{"alice", "alice ALICE", "alic lice alice2"},
		{"*", "a alice", ""},
		{"al*", "al alice ALAN", "a bal"},
		{"*ice", "ice alice", "icey al"},
		{"*li*", "li alice oliver", "l ail"},
		{"a*c*", "ac alice abcd", "a ca bac"},
		{"a*a", "aa alma", "a ab"},
	} {
		for text := range strings.FieldsSeq(test.yes) {
			if !matches(test.pattern, text) {
				t.Errorf("%q does not match %q", test.pattern, text)
			}
		}
		for text := range strings.FieldsSeq(test.no) {
			if matches(test.pattern, text) {
				t.Errorf("%q matches %q", test.pattern, text)
			}
		}
	}
}

func TestUsersQuery_Refused(t *testing.T) {
	for _, text := range []string{"limit=0", "limit=101", "limit=x", "offset=-1", "locked=yes", "name=x", "userID=" + strings.Repeat("a", 256)} {
		values, err := url.ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		if q, err := readUsersQuery(values); err == nil {
			t.Errorf("%q: %+v", text, q)
		}
	}
}
