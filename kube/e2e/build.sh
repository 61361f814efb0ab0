#!/usr/bin/env bash
# Builds the control plane that the end-to-end tests run against, from Go modules
# alone, and prints the directory that holds it. A cold build takes about ten
# minutes on two cores, so the result is kept outside the clone, one directory
# for each version.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export CGO_ENABLED=0 GOWORK=off

kubernetes=$(cd "$here/controlplane" && go list -m -f '{{.Version}}' k8s.io/kubernetes)
etcd=$(cd "$here/etcd" && go list -m -f '{{.Version}}' go.etcd.io/etcd/server/v3)
dir=${XDG_CACHE_HOME:-$HOME/.cache}/mullion/controlplane/$kubernetes

# The stamp is written last: a directory without it, or with another one, is not
# what this script builds.
stamp="$kubernetes etcd-$etcd $(go env GOOS GOARCH | tr '\n' ' ')gitVersion"
if [[ -f $dir/stamp && $(<"$dir/stamp") == "$stamp" ]]; then
	echo "$dir"
	exit
fi

mkdir -p "$(dirname "$dir")"
tmp=$(mktemp -d "$dir.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
echo "building Kubernetes $kubernetes and etcd $etcd into $dir (about ten minutes when nothing is cached)" >&2

# Without these a server from modules calls itself v0.0.0-master.
v=k8s.io/component-base/version
IFS=. read -r major minor _ <<<"${kubernetes#v}"
version="-X $v.gitVersion=$kubernetes -X $v.gitMajor=$major -X $v.gitMinor=$minor"

(cd "$here/etcd" && go build -ldflags='-s -w' -o "$tmp/etcd" go.etcd.io/etcd/server/v3)
(cd "$here/controlplane" && go build -ldflags="-s -w $version" -o "$tmp/" \
	k8s.io/kubernetes/cmd/kube-apiserver \
	k8s.io/kubernetes/cmd/kube-controller-manager \
	k8s.io/kubernetes/cmd/kube-scheduler)
echo "$stamp" >"$tmp/stamp"

# A rename shows the directory to others only when it is whole.
rm -rf "$dir"
mv -T "$tmp" "$dir"
echo "$dir"
