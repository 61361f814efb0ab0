package main

import (
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mullion-tui/mullion/kube/config"
	"github.com/mullion-tui/mullion/model"
)

// configOutput is what `mullion config -o json` prints.
type configOutput struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	File       string           `json:"file"` // empty: there is none
	Settings   []config.Setting `json:"settings"`
}

var configFormats = []string{"table", "json", "yaml"}

func newConfigCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print every setting in force and where it comes from",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load(a.config)
			if err != nil {
				return usageError(err)
			}
			out := configOutput{APIVersion: "mullion/v1", Kind: "Config", File: cfg.Path(), Settings: cfg.Effective(a.contextNames(cmd), a.overrides()...)}
			return printConfig(cmd, output, out)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "one of table, json, yaml")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(configFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// contextNames are for the note on settings of a context that does not exist; nil,
// without a usable kubeconfig, leaves the note out.
func (a *app) contextNames(cmd *cobra.Command) []string {
	c, err := a.open(cmd.Context())
	if err != nil {
		return nil
	}
	defer c.close()
	entries, err := c.List(cmd.Context())
	if err != nil {
		return nil
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return names
}

func (a *app) overrides() []config.Override {
	var out []config.Override
	if a.readOnly {
		out = append(out, config.Override{Key: "readOnly", Value: "true", From: "--read-only"})
	}
	if len(a.from) > 0 {
		out = append(out, config.Override{Key: "readOnly", Value: "true", From: "--from"})
	}
	if os.Getenv("NO_COLOR") != "" {
		out = append(out, config.Override{Key: "theme", Value: "plain", From: "NO_COLOR"})
	}
	return out
}

func printConfig(cmd *cobra.Command, output string, out configOutput) error {
	w := cmd.OutOrStdout()
	switch output {
	case "json":
		return printJSON(w, out)
	case "yaml":
		return printYAML(w, out)
	case "table":
	default:
		return unknownFormat(output, configFormats...)
	}
	if out.File == "" {
		fmt.Fprintf(w, "no config file; one would be read from %s\n\n", model.Clean(config.DefaultPath()))
	}
	t := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	fmt.Fprintln(t, "SETTING\tVALUE\tFROM\tNOTE")
	for _, s := range out.Settings {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", model.Clean(s.Key), or(model.Clean(s.Value), "-"), model.Clean(s.From), model.Clean(s.Note))
	}
	return t.Flush()
}
