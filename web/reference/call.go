package reference

import (
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// call is a request to an operation, as a command for a shell.
type call struct {
	method, origin, path string
	parameters           []parameter
	signedIn             bool
	// file is the name under which the answer is kept; "" to show it.
	file string
}

// command returns the command that sends a body of a media type; none if media is empty.
func (c call) command(media string, body jsontext.Value) (string, error) {
	address := c.address()
	args := []string{"curl"}
	if plain := media == "" && c.method != "GET" || media != "" && c.method != "POST"; plain {
		args[0] += " -X " + c.method
	}
	args[0] += " " + address
	if c.signedIn {
		args = append(args, `-H "Authorization: Bearer $TOKEN"`)
	}
	for _, one := range c.parameters {
		if one.In == "header" && one.Name == "Countersign-Session" {
			args = append(args, "-H 'Countersign-Session: bearer'")
		}
	}
	sent, err := bodyArguments(media, body)
	if err != nil {
		return "", err
	}
	args = append(args, sent...)
	if c.file != "" {
		args = append(args, "-o "+c.file)
	}
	return strings.Join(args, " \\\n  "), nil
}

// bodyArguments returns the arguments that send body.
func bodyArguments(media string, body jsontext.Value) ([]string, error) {
	if media == "" {
		return nil, nil
	}
	if media != "multipart/form-data" {
		text, err := indented(body)
		return []string{"--json " + quoted(text)}, err
	}
	var parts orderedObject[jsontext.Value]
	if err := json.Unmarshal(body, &parts); err != nil {
		return nil, err
	}
	var args []string
	for _, part := range parts {
		var text string
		if json.Unmarshal(part.value, &text) == nil {
			args = append(args, "-F "+quoted(part.name+"="+text))
			continue
		}
		var files []string
		if err := json.Unmarshal(part.value, &files); err != nil {
			return nil, err
		}
		for _, name := range files {
			args = append(args, "-F "+quoted(part.name+"=@"+name))
		}
	}
	return args, nil
}

var (
	placeholder = regexp.MustCompile(`\{(\w+)\}`)
	inner       = regexp.MustCompile(`([a-z])([A-Z])`)
)

// address returns the address, quoted: parameters with an example by their example, and the
// others by a variable of the shell.
func (c call) address() string {
	values := map[string]string{}
	separator, query := "?", ""
	for _, one := range c.parameters {
		value := "$" + strings.ToUpper(inner.ReplaceAllString(one.Name, "${1}_${2}"))
		var text string
		if json.Unmarshal(one.Example, &text) == nil && text != "" {
			value = text
		}
		values[one.Name] = value
		if one.In == "query" && one.Required {
			query += separator + one.Name + "=" + value
			separator = "&"
		}
	}
	path := placeholder.ReplaceAllStringFunc(c.path, func(name string) string { return values[strings.Trim(name, "{}")] })
	if address := c.origin + path + query; strings.Contains(address, "$") {
		return `"` + address + `"`
	}
	return quoted(c.origin + path + query)
}

// quoted returns text as one word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// indented returns a value over lines.
func indented(value jsontext.Value) (string, error) {
	value = value.Clone()
	err := value.Indent(jsontext.WithIndent("  "))
	return value.String(), err
}

// calls returns the commands of an operation: one for each example of its body.
func (c call) calls(bodies orderedObject[media]) (all []sample, err error) {
	if len(bodies) == 0 {
		text, err := c.command("", nil)
		return []sample{{Text: text}}, err
	}
	for _, body := range bodies {
		for _, one := range body.value.examplesOf() {
			text, err := c.command(body.name, one.value.Value)
			if err != nil {
				return nil, err
			}
			name := one.name
			if name == "" && len(bodies) > 1 {
				name = body.name
			}
			all = append(all, sample{Name: name, Text: text})
		}
	}
	return all, nil
}
