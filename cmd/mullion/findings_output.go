package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/mullion-tui/mullion/model"
	"github.com/mullion-tui/mullion/model/findings"
)

func (out findingsOutput) print(w io.Writer, format string) error {
	switch format {
	case "json":
		return printJSON(w, out)
	case "yaml":
		return printYAML(w, out)
	case "sarif":
		return printJSON(w, out.sarif())
	default:
		return out.table(w)
	}
}

func (out findingsOutput) table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	fmt.Fprintln(t, "SEVERITY\tID\tOBJECT\tFINDING\tEVIDENCE")
	for _, f := range out.Findings {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", f.Severity, f.ID, model.Clean(f.Object.String()), f.Title, model.Clean(f.Evidence))
	}
	return t.Flush()
}

// The parts of SARIF 2.1.0 that are needed (OASIS, sarif-v2.1.0). Objects of a cluster
// have no file, so results have logical locations alone.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string      `json:"id"`
		ShortDescription     sarifText   `json:"shortDescription"`
		FullDescription      sarifText   `json:"fullDescription"`
		Help                 sarifText   `json:"help"`
		DefaultConfiguration sarifConfig `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Kind         string            `json:"kind"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		LogicalLocations []sarifLogical `json:"logicalLocations"`
	}
	sarifLogical struct {
		Name string `json:"name"`
		Full string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// sarifLevels by severity. What could not be looked at is an open question, which has no level.
var sarifLevels = map[string]string{
	findings.Info.String(): "note", findings.Warning.String(): "warning", findings.Critical.String(): "error", severityUnknown: "none",
}

func (out findingsOutput) sarif() sarifLog {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "mullion", Version: version}}, Results: []sarifResult{}}
	index := map[string]int{}
	for i, r := range findings.Rules() {
		index[r.ID] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: r.ID, ShortDescription: sarifText{r.Title}, FullDescription: sarifText{r.Why}, Help: sarifText{r.Remedy},
			DefaultConfiguration: sarifConfig{sarifLevels[r.Severity.String()]},
		})
	}
	for _, f := range out.Findings {
		r := sarifResult{
			RuleID: f.ID, RuleIndex: index[f.ID], Kind: "fail", Level: sarifLevels[f.Severity], Message: sarifText{f.Title + ": " + f.Evidence},
			Fingerprints: map[string]string{"finding/v1": out.Context + "/" + f.ID + "/" + f.Object.String()},
		}
		if f.Severity == severityUnknown {
			r.Kind = "open"
		}
		if f.Object.Kind != "" {
			r.Locations = []sarifLocation{{[]sarifLogical{{Name: f.Object.Name, Full: f.Object.String(), Kind: "resource"}}}}
		}
		run.Results = append(run.Results, r)
	}
	return sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}}
}
