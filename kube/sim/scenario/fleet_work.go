package scenario

import "time"

// fleetWork are the applications of the fleet, by the pool that they run on.
var fleetWork = []work{
	// Linux, both architectures or one of them.
	{ns: "shop", name: "frontend", replicas: 8, os: "linux", on: amd64,
		image: "ghcr.io/example/frontend:4.2", cpu: "250m", memory: "256Mi", budget: "75%"},
	{ns: "shop", name: "cart", replicas: 6, os: "linux", on: amd64,
		image: "ghcr.io/example/cart:4.2", cpu: "200m", memory: "256Mi", budget: "-1"},
	{ns: "shop", name: "catalogue", replicas: 6, os: "linux", on: arm64,
		image: "ghcr.io/example/catalogue:4.1", cpu: "500m", memory: "1Gi", budget: "50%"},
	{kind: "StatefulSet", ns: "shop", name: "orders-db", replicas: 3, os: "linux", on: amd64,
		image: "docker.io/library/postgres:18", cpu: "1", memory: "4Gi", budget: "2"},
	{kind: "StatefulSet", ns: "shop", name: "queue", replicas: 3, os: "linux", on: amd64,
		image: "docker.io/library/rabbitmq:4", cpu: "500m", memory: "2Gi", budget: "-1"},
	{ns: "monitoring", name: "grafana", replicas: 1, os: "linux", on: amd64,
		image: "docker.io/grafana/grafana:13.1.0", cpu: "100m", memory: "256Mi"},
	{kind: "StatefulSet", ns: "monitoring", name: "prometheus", replicas: 2, os: "linux", on: amd64,
		image: "quay.io/prometheus/prometheus:v3.9.0", cpu: "1", memory: "6Gi", budget: "-1"},
	{kind: "StatefulSet", ns: "monitoring", name: "loki", replicas: 3, os: "linux", on: arm64,
		image: "docker.io/grafana/loki:3.8.1", cpu: "500m", memory: "2Gi", budget: "-1"},
	{kind: "Job", ns: "shop", name: "nightly-import", replicas: 2, os: "linux", on: amd64, age: jobAge,
		image: "ghcr.io/example/import:2.0", cpu: "500m", memory: "512Mi"},

	// Windows Server 2025.
	{ns: "erp", name: "web", replicas: 12, os: "windows", class: "windows-2025",
		image: "ghcr.io/example/erp-web:9.3-ltsc2025", cpu: "500m", memory: "1Gi", budget: "75%"},
	{ns: "erp", name: "api", replicas: 10, os: "windows", class: "windows-2025",
		image: "ghcr.io/example/erp-api:9.3-ltsc2025", cpu: "500m", memory: "1536Mi", budget: "80%"},
	{ns: "erp", name: "worker", replicas: 16, os: "windows", class: "windows-2025",
		image: "ghcr.io/example/erp-worker:9.3-ltsc2025", cpu: "250m", memory: "768Mi"},
	{ns: "erp", name: "print", replicas: 4, os: "windows", class: "windows-2025",
		image: "ghcr.io/example/print:3.1-ltsc2025", cpu: "250m", memory: "1Gi", budget: "-1"},
	{kind: "StatefulSet", ns: "erp", name: "sessions", replicas: 3, os: "windows", class: "windows-2025",
		image: "ghcr.io/example/sessions:2.2-ltsc2025", cpu: "250m", memory: "2Gi", budget: "2"},
	{ns: "erp", name: "license", replicas: 1, os: "windows", class: "windows-2025",
		image: "ghcr.io/example/license:1.0-ltsc2025", cpu: "100m", memory: "256Mi", budget: "1"},
	{ns: "build", name: "agents", replicas: 10, os: "windows", class: "windows-2025",
		image: "ghcr.io/example/build-agent:26-ltsc2025", cpu: "1", memory: "3Gi"},

	// Windows Server 2022.
	{ns: "documents", name: "render", replicas: 8, os: "windows", class: "windows-2022",
		image: "ghcr.io/example/render:5.0-ltsc2022", cpu: "500m", memory: "2Gi", budget: "50%"},
	{ns: "documents", name: "intake", replicas: 6, os: "windows", class: "windows-2022",
		image: "ghcr.io/example/intake:5.0-ltsc2022", cpu: "250m", memory: "512Mi", budget: "-1"},
	{kind: "StatefulSet", ns: "documents", name: "index", replicas: 3, os: "windows", class: "windows-2022",
		image: "ghcr.io/example/index:5.0-ltsc2022", cpu: "500m", memory: "2Gi", budget: "-1"},

	// Windows Server 2019: what has not been moved yet.
	{ns: "legacy", name: "fax", replicas: 2, os: "windows", class: "windows-2019",
		image: "ghcr.io/example/fax:1.8-ltsc2019", cpu: "250m", memory: "512Mi", budget: "1"},
	{ns: "legacy", name: "terminal", replicas: 4, os: "windows", class: "windows-2019",
		image: "ghcr.io/example/terminal:1.2-ltsc2019", cpu: "250m", memory: "1Gi"},
}

var (
	amd64 = map[string]string{"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
	arm64 = map[string]string{"kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64"}
)

// jobAge is how long the fleet's Job has been running; its machines let a Job's pod run for jobTime.
const (
	jobAge  = 40 * time.Minute
	jobTime = 6 * time.Hour
)
