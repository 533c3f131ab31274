package explain

import "bytes"

// joiner puts the pieces together in which container runtimes keep a long line, such as that
// of a panic with its stack.
type joiner struct{ begun []byte }

// join returns the line that ends with line, and whether it is whole. Of a longer line than
// maxLine the beginning counts.
func (j *joiner) join(line []byte) (joined []byte, whole bool) {
	text, more := piece(line, len(j.begun) > 0)
	if text == nil || !more && len(j.begun) == 0 {
		j.begun = nil
		return line, true
	}
	j.begun = append(j.begun, text[:min(len(text), maxLine-len(j.begun))]...)
	if more {
		return nil, false
	}
	joined, j.begun = j.begun, nil
	return joined, true
}

// piece returns what was written of a line of CRI or of Docker's json-file, nil for any other
// line, and whether the line goes on in the next piece. What is whole is only read if wanted.
func piece(line []byte, wanted bool) (text []byte, more bool) {
	if bytes.HasPrefix(line, []byte(`{"log":"`)) {
		more = !bytes.Contains(line, []byte(`\n",`))
		if more || wanted {
			if log, ok := object(line)["log"].(string); ok {
				return []byte(log), more
			}
		}
		return nil, false
	}
	space := bytes.IndexByte(line[:min(len(line), len("2006-01-02T15:04:05.000000000+00:00 "))], ' ')
	for _, stream := range []string{"stderr ", "stdout "} {
		if rest, ok := bytes.CutPrefix(line[space+1:], []byte(stream)); ok && space > 0 && len(rest) > 1 && rest[1] == ' ' {
			return rest[2:], rest[0] == 'P'
		}
	}
	return nil, false
}
