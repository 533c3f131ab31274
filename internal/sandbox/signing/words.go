package signing

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"
	"golang.org/x/text/language"
)

// words are what the signing page says in a language, by what they are about.
type words map[string]string

// defaultLanguage is of whoever wants none that there is.
const defaultLanguage = "en"

var (
	pageLanguages = []string{defaultLanguage, "de", "es", "fr", "ja"} // The first one is the default.
	pageWords     = map[string]words{}
	pageMatcher   = mustLoadWords()
)

func mustLoadWords() language.Matcher {
	var tags []language.Tag
	for _, name := range pageLanguages {
		text, err := assets.ReadFile("assets/words/" + name + ".json")
		var said words
		if err = cmp.Or(err, json.Unmarshal(text, &said)); err != nil {
			panic(fmt.Errorf("the words of %s: %w", name, err))
		}
		pageWords[name], tags = said, append(tags, language.MustParse(name))
	}
	return language.NewMatcher(tags)
}

// visitor is who looks at the signing page, and in which language.
type visitor struct {
	party
	language string
	words    words
}

// visitorOf is the visitor of a request: a signer's own language counts first, where
// it is not the default that every signer has, and then the browser's.
func visitorOf(r *http.Request, who party, own string) visitor {
	wanted, _, _ := language.ParseAcceptLanguage(r.Header.Get("Accept-Language")) // What cannot be read wants none.
	if tag, err := language.Parse(own); err == nil && own != defaultLanguage {
		wanted = append([]language.Tag{tag}, wanted...)
	}
	_, i, _ := pageMatcher.Match(wanted...)
	name := pageLanguages[i]
	return visitor{party: who, language: name, words: pageWords[name]}
}
