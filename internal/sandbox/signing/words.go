package signing

import (
	"cmp"
	"fmt"
	"net/http"
	"sync"

	"github.com/go-json-experiment/json"
	"golang.org/x/text/language"
)

// words are the signing page's texts in a language, by key.
type words map[string]string

// defaultLanguage is used if no wanted language is available.
const defaultLanguage = "en"

// pageLanguages are the languages of the signing page, the default one first.
var pageLanguages = []language.Tag{language.English, language.German, language.Spanish, language.French, language.Japanese}

var pageMatcher = sync.OnceValue(func() language.Matcher { return language.NewMatcher(pageLanguages) })

// pageWords returns the words of every language by tag.
var pageWords = sync.OnceValue(func() map[string]words {
	all := map[string]words{}
	for _, tag := range pageLanguages {
		text, err := assets.ReadFile("assets/words/" + tag.String() + ".json")
		var said words
		if err = cmp.Or(err, json.Unmarshal(text, &said)); err != nil {
			panic(fmt.Errorf("the words of %s: %w", tag, err))
		}
		all[tag.String()] = said
	}
	return all
})

// visitor is a visitor of the signing page, with their language.
type visitor struct {
	party
	language string
	words    words
}

// visitorOf returns the visitor of a request: a signer's own language counts first,
// unless it is the default that every signer has, and then the browser's.
func visitorOf(r *http.Request, who party, own string) visitor {
	wanted, _, _ := language.ParseAcceptLanguage(r.Header.Get("Accept-Language")) // an unreadable header asks for none
	if tag, err := language.Parse(own); err == nil && own != defaultLanguage {
		wanted = append([]language.Tag{tag}, wanted...)
	}
	_, i, _ := pageMatcher().Match(wanted...)
	name := pageLanguages[i].String()
	return visitor{party: who, language: name, words: pageWords()[name]}
}
