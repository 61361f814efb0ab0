package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
)

// Config is what the file says, and the defaults for what it leaves out. The
// yaml tags are the keys that the file may have; docs/configuration.md explains each.
type Config struct {
	// ReadOnly refuses every change on all contexts that do not say otherwise.
	ReadOnly bool `yaml:"readOnly"`
	// Theme is the name of a theme; empty lets the terminal decide.
	Theme string `yaml:"theme"`
	// Mouse lets the screen react to wheel and click.
	Mouse bool `yaml:"mouse"`
	// PoolLabel is the node label whose values name the pools; empty uses the ones that the providers are known to set.
	PoolLabel string `yaml:"poolLabel"`
	// Prometheus is the URL of a Prometheus that knows the Windows nodes; empty looks for a Service in each cluster.
	Prometheus string `yaml:"prometheus"`
	// Contexts holds settings for single contexts, by the name that the kubeconfig gives them.
	Contexts map[string]Context `yaml:"contexts"`

	path  string         // the file read; empty without one
	lines map[string]int // dotted key to its line, of what the file sets
	order []string       // names of Contexts in the order of the file
}

// Context is what the file says of one context.
type Context struct {
	// ReadOnly refuses every change on this context; nil leaves it to Config.ReadOnly.
	ReadOnly *bool `yaml:"readOnly"`
	// Protected makes every action on this context ask for its name.
	Protected bool `yaml:"protected"`
	// Prometheus is the URL of this cluster's Prometheus; empty leaves it to Config.Prometheus.
	Prometheus string `yaml:"prometheus"`
}

// relativePath is the file below each XDG configuration directory.
var relativePath = filepath.Join("mullion", "config.yaml")

// Default returns the configuration of an empty file.
func Default() *Config {
	return &Config{Mouse: true, Contexts: map[string]Context{}, lines: map[string]int{}}
}

// DefaultPath returns where the user's file is looked for first.
func DefaultPath() string { return filepath.Join(xdg.ConfigHome, relativePath) }

// Load reads path, which must exist. With an empty path it reads mullion/config.yaml
// of the first XDG configuration directory that has one, and without any returns the
// defaults. Errors are *FileError or several of them joined: all mistakes of a file
// are told at once.
func Load(path string) (*Config, error) {
	if path != "" {
		return read(path)
	}
	for _, dir := range append([]string{xdg.ConfigHome}, xdg.ConfigDirs...) {
		c, err := read(filepath.Join(dir, relativePath))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		// A file that is there and cannot be read may hold a readOnly: going on
		// without it would lift that.
		return c, err
	}
	return Default(), nil
}

func read(path string) (*Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &FileError{File: path, Reason: "cannot be read", Err: err}
	}
	return Parse(path, data)
}

// Path returns the file that was read; empty means that there was none.
func (c *Config) Path() string { return c.path }

// IsReadOnly tells whether the file refuses changes on a context, and in which words
// to say so. What a context says of itself wins over the rest of the file.
func (c *Config) IsReadOnly(context string) (bool, string) {
	if own := c.Contexts[context].ReadOnly; own != nil {
		if !*own {
			return false, ""
		}
		return true, fmt.Sprintf("readOnly: true for this context in %s", c.at("contexts", context, "readOnly"))
	}
	if c.ReadOnly {
		return true, fmt.Sprintf("readOnly: true in %s", c.at("readOnly"))
	}
	return false, ""
}

// IsProtected tells whether actions on a context ask for its name.
func (c *Config) IsProtected(context string) bool { return c.Contexts[context].Protected }

// PrometheusOf returns the URL of the Prometheus to ask about a context; empty leaves
// it to be found in the cluster.
func (c *Config) PrometheusOf(context string) string {
	return cmp.Or(c.Contexts[context].Prometheus, c.Prometheus)
}

// at returns "file:line" of a key, "default" for one that the file does not set.
func (c *Config) at(keys ...string) string {
	line, ok := c.lines[join(keys)]
	if !ok {
		return "default"
	}
	return fmt.Sprintf("%s:%d", c.path, line)
}
