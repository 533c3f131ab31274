package pdf

// The lexical conventions of PDF (ISO 32000-2, 7.2 and 7.3).

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

// skipSpace skips white space and comments, and reports whether anything follows.
func (s *contentScanner) skipSpace() bool {
	comment := false
	for ; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; {
		case comment:
			comment = c != '\n' && c != '\r'
		case c == '%':
			comment = true
		case !isSpace(c):
			return true
		}
	}
	return false
}

// regular returns the next regular characters.
func (s *contentScanner) regular() []byte {
	begin := s.at
	for s.at < len(s.data) && !isSpace(s.data[s.at]) && !isDelimiter(s.data[s.at]) {
		s.at++
	}
	return s.data[begin:s.at]
}

// name scans a name after its slash.
func (s *contentScanner) name() string {
	raw := s.regular()
	name := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) && digit(raw[i+1]) >= 0 && digit(raw[i+2]) >= 0 {
			name = append(name, byte(digit(raw[i+1])<<4|digit(raw[i+2])))
			i += 2
			continue
		}
		name = append(name, raw[i])
	}
	return string(name)
}

// digit returns the value of a hexadecimal digit, or -1.
func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	default:
		return -1
	}
}

// hexadecimal scans a string of hexadecimal digits after its bracket.
func (s *contentScanner) hexadecimal() string {
	var text []byte
	half := -1
	for ; s.at < len(s.data); s.at++ {
		c := s.data[s.at]
		if c == '>' {
			s.at++
			break
		}
		switch n := digit(c); {
		case n < 0:
		case half < 0:
			half = n
		default:
			text, half = append(text, byte(half<<4|n)), -1
		}
	}
	if half >= 0 {
		text = append(text, byte(half<<4))
	}
	return string(text)
}

// literal scans a string in parentheses.
func (s *contentScanner) literal() string {
	var text []byte
	depth := 0
	for s.at < len(s.data) {
		c := s.data[s.at]
		s.at++
		switch c {
		case '(':
			if depth++; depth == 1 {
				continue
			}
		case ')':
			if depth--; depth == 0 {
				return string(text)
			}
		case '\\':
			text = s.escaped(text)
			continue
		}
		text = append(text, c)
	}
	return string(text)
}

// escapes maps letters after a backslash to their characters.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}

// escaped adds the character after a backslash.
func (s *contentScanner) escaped(text []byte) []byte {
	if s.at >= len(s.data) {
		return text
	}
	c := s.data[s.at]
	s.at++
	if to, ok := escapes[c]; ok {
		return append(text, to)
	}
	switch {
	case c == '\r':
		if s.at < len(s.data) && s.data[s.at] == '\n' {
			s.at++
		}
		return text
	case c == '\n':
		return text
	case '0' <= c && c <= '7':
		code := int(c - '0')
		for i := 0; i < 2 && s.at < len(s.data) && '0' <= s.data[s.at] && s.data[s.at] <= '7'; i++ {
			code = code<<3 | int(s.data[s.at]-'0')
			s.at++
		}
		return append(text, byte(code))
	default:
		return append(text, c)
	}
}
