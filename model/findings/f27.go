package findings

// f27 has no object of the cluster: it is about the files of this machine.
var f27 = Rule{
	ID:       "F27",
	Title:    "kubeconfig contexts of equal names in several files",
	Severity: Warning,
	Looks:    "The kubeconfig files that were merged. Not looked at for a dump and for simulated clusters, which read none.",
	Why:      "The first of two equal names wins silently: the second cluster is reached under no name at all, or with the first one's credentials. kubeadm names every context kubernetes-admin@kubernetes.",
	Remedy:   "Give the contexts, clusters and users of each file names of their own: kubectl config rename-context renames contexts alone.",
	Cluster: func(w *World) []Finding {
		var all []Finding
		for _, c := range w.Contexts {
			if c.Conflicts != "" {
				all = append(all, Finding{Object: contextKey(c.Name), Evidence: c.Conflicts})
			}
		}
		return all
	},
}
