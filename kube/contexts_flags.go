package kube

import (
	"fmt"
	"strings"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// restConfig resolves a context as kubectl would, with the flags that hold for it.
func (v *contextsView) restConfig(name string) (*rest.Config, error) {
	if v.pod != nil && name == InClusterContext {
		cfg := rest.CopyConfig(v.pod)
		impersonation := overridesOf(v.opts.Flags, false).AuthInfo
		cfg.Impersonate = rest.ImpersonationConfig{
			UserName: impersonation.Impersonate, UID: impersonation.ImpersonateUID,
			Groups: impersonation.ImpersonateGroups, Extra: impersonation.ImpersonateUserExtra,
		}
		return cfg, nil
	}
	if v.files.merged.Contexts[name] == nil {
		return nil, v.noSuchContext(name)
	}
	fail := func(format string, args ...any) error {
		return fmt.Errorf("context %q: %s", name, fmt.Sprintf(format, args...))
	}
	if name == "" {
		return nil, fail("its name is empty; name it in %s", v.resolve(name).LocationOfOrigin)
	}
	at, files := v.resolve(name), strings.Join(v.files.paths, ", ")
	server := v.server(name)
	switch {
	case at.Cluster != "" && v.files.merged.Clusters[at.Cluster] == nil:
		return nil, fail("its cluster %q is not in %s", at.Cluster, files)
	case at.AuthInfo != "" && v.files.merged.AuthInfos[at.AuthInfo] == nil:
		return nil, fail("its user %q is not in %s", at.AuthInfo, files)
	case at.Cluster == "" && server == "":
		return nil, fail("it names no cluster in %s", at.LocationOfOrigin)
	case server == "":
		return nil, fail("its cluster %q has no server in %s", at.Cluster, v.files.merged.Clusters[at.Cluster].LocationOfOrigin)
	}
	overrides := overridesOf(v.opts.Flags, name == v.start)
	cfg, err := clientcmd.NewNonInteractiveClientConfig(*v.files.merged, name, overrides, v.reader.rules).ClientConfig()
	if err != nil {
		// What client-go says holds names and paths, and at worst the URL of a proxy.
		return nil, fail("%s", withoutUserinfo(oneLine(strings.TrimPrefix(err.Error(), "invalid configuration: "))))
	}
	if _, _, err := rest.DefaultServerUrlFor(cfg); err != nil {
		return nil, fail("its server %q is not a URL", publicURL(server))
	}
	return cfg, nil
}

// namesShown bounds how many contexts an error lists.
const namesShown = 10

func (v *contextsView) noSuchContext(name string) error {
	names, more := v.names(), ""
	if len(names) > namesShown {
		more = fmt.Sprintf(" and %d more", len(names)-namesShown)
		names = names[:namesShown]
	}
	have := fmt.Sprintf("%q", names)
	return fmt.Errorf("context %q does not exist in %s; there are %s%s", name, strings.Join(v.files.paths, ", "), have[1:len(have)-1], more)
}

// overridesOf turns kubectl's flags into what clientcmd wants; cli-runtime has the same
// inside, but only together with its own way of reading the files. A test compares
// the two flag by flag.
func overridesOf(f *genericclioptions.ConfigFlags, start bool) *clientcmd.ConfigOverrides {
	o := &clientcmd.ConfigOverrides{
		Context: clientcmdapi.Context{Namespace: deref(f.Namespace)},
		AuthInfo: clientcmdapi.AuthInfo{
			Impersonate:          deref(f.Impersonate),
			ImpersonateUID:       deref(f.ImpersonateUID),
			ImpersonateUserExtra: extrasOf(f.ImpersonateUserExtra),
		},
		Timeout: deref(f.Timeout),
	}
	if f.ImpersonateGroup != nil {
		o.AuthInfo.ImpersonateGroups = *f.ImpersonateGroup
	}
	if !start {
		return o
	}
	o.Context.Cluster, o.Context.AuthInfo = deref(f.ClusterName), deref(f.AuthInfoName)
	o.AuthInfo.ClientCertificate, o.AuthInfo.ClientKey = deref(f.CertFile), deref(f.KeyFile)
	o.AuthInfo.Token = deref(f.BearerToken)
	o.AuthInfo.Username, o.AuthInfo.Password = deref(f.Username), deref(f.Password)
	o.ClusterInfo.Server, o.ClusterInfo.TLSServerName = deref(f.APIServer), deref(f.TLSServerName)
	o.ClusterInfo.CertificateAuthority, o.ClusterInfo.ProxyURL = deref(f.CAFile), deref(f.ProxyURL)
	o.ClusterInfo.InsecureSkipTLSVerify = f.Insecure != nil && *f.Insecure
	o.ClusterInfo.DisableCompression = f.DisableCompression != nil && *f.DisableCompression
	return o
}

func extrasOf(flags *[]string) map[string][]string {
	if flags == nil || len(*flags) == 0 {
		return nil
	}
	extras := map[string][]string{}
	for _, f := range *flags {
		if key, value, ok := strings.Cut(f, "="); ok {
			extras[key] = append(extras[key], value)
		}
	}
	return extras
}
