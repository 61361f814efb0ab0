package config

import (
	"regexp"
	"strconv"
	"strings"
)

var yamlLine = regexp.MustCompile(`yaml: (?:line (\d+): )?(.*)`)

// parserWords begin the errors of yaml's parser, in contrast to those of its scanner.
var parserWords = regexp.MustCompile(`^did not find expected (node content|<|key|',' or|'-' indicator)`)

// YAMLProblem takes an error of yaml's apart: the line, counted from 1, or 0 if it is
// not known, and what is wrong there. It corrects yaml, which counts from 0 where its
// parser, not its scanner, gives up (yaml/v3's decode.go, parser.fail).
func YAMLProblem(err error) (line int, text string) {
	text, _, _ = strings.Cut(err.Error(), "\n")
	m := yamlLine.FindStringSubmatch(text)
	if m == nil {
		return 0, text
	}
	line, _ = strconv.Atoi(m[1]) // nothing is 0: unknown
	if parserWords.MatchString(m[2]) {
		line++
	}
	return line, m[2]
}
