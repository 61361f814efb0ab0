package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/yaml"
)

// printJSON and printYAML write what a command has found out for another program.
func printJSON(w io.Writer, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return internalError(fmt.Errorf("writing the answer as JSON: %w", err))
	}
	_, err = fmt.Fprintln(w, controls.Replace(string(b)))
	return err
}

func printYAML(w io.Writer, v any) error {
	b, err := yaml.Marshal(v)
	if err != nil {
		return internalError(fmt.Errorf("writing the answer as YAML: %w", err))
	}
	_, err = w.Write(b)
	return err
}

// controls writes DEL and the C1 controls, which encoding/json lets through and some
// terminals obey, as JSON escapes. The value that a parser reads is the same.
var controls = func() *strings.Replacer {
	pairs := []string{"\x7f", `\u007f`}
	for r := rune(0x80); r < 0xa0; r++ {
		pairs = append(pairs, string(r), fmt.Sprintf(`\u%04x`, r))
	}
	return strings.NewReplacer(pairs...)
}()

// unknownFormat is the error of a command that prints in the named formats alone.
func unknownFormat(got string, known ...string) error {
	return usageError(fmt.Errorf("output format %q is not known; use one of %s", got, strings.Join(known, ", ")))
}

// or returns instead where s is empty.
func or(s, instead string) string {
	if s == "" {
		return instead
	}
	return s
}
