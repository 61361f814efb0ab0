package config

import (
	"net/url"
	"strconv"
)

// Setting is one value in force and where it comes from.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"` // "default", "FILE:LINE", a flag or an environment variable
	Note  string `json:"note,omitempty"`
}

// Override is a value that a flag or the environment sets above the file.
type Override struct{ Key, Value, From string }

// Effective lists every value in force, in the order of the documentation. Later
// overrides win over earlier ones and over the file, but none makes readOnly false.
// known are the contexts of the kubeconfig; nil leaves out the note on settings for
// a context that is not there.
func (c *Config) Effective(known []string, overrides ...Override) []Setting {
	settings := []Setting{
		{Key: "readOnly", Value: strconv.FormatBool(c.ReadOnly), From: c.at("readOnly")},
		{Key: "theme", Value: c.Theme, From: c.at("theme")},
		{Key: "mouse", Value: strconv.FormatBool(c.Mouse), From: c.at("mouse")},
		{Key: "poolLabel", Value: c.PoolLabel, From: c.at("poolLabel")},
		{Key: "prometheus", Value: publicURL(c.Prometheus), From: c.at("prometheus")},
	}
	for _, o := range overrides {
		for i := range settings {
			s := &settings[i]
			if s.Key != o.Key || (o.Key == "readOnly" && o.Value != "true") {
				continue
			}
			s.Value, s.From = o.Value, o.From
		}
	}
	isKnown := map[string]bool{}
	for _, name := range known {
		isKnown[name] = true
	}
	for _, name := range c.order {
		settings = append(settings, c.contextSettings(name, known != nil && !isKnown[name])...)
	}
	return settings
}

func (c *Config) contextSettings(name string, missing bool) []Setting {
	context := c.Contexts[name]
	values := []struct {
		key   string
		value string
	}{
		{"readOnly", strconv.FormatBool(context.ReadOnly != nil && *context.ReadOnly)},
		{"protected", strconv.FormatBool(context.Protected)},
		{"prometheus", publicURL(context.Prometheus)},
	}
	var settings []Setting
	for _, v := range values {
		from := c.at("contexts", name, v.key)
		if from == "default" {
			continue
		}
		s := Setting{
			Key:   "contexts." + strconv.Quote(name) + "." + v.key,
			Value: v.value,
			From:  from,
		}
		if missing {
			s.Note = "no kubeconfig has a context of this name"
		}
		settings = append(settings, s)
	}
	return settings
}

// publicURL leaves out a password.
func publicURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return s
	}
	return u.Redacted()
}
