package placement

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mullion-tui/mullion/model"
)

// room compares what the pod asks for with what is left, as the scheduler does: a pod
// that asks for nothing fits anywhere but on a node without a place
// (noderesources fitsRequest).
func (b *Board) room(out []Reason, q *question, s *seat) []Reason {
	own := b.own(s, q.pod)
	if pods := s.pods - own; pods+1 > s.MaxPods {
		out = append(out, Reason{PodCount, Refuses, "the node has no place for another pod", fmt.Sprintf("%d of %d", pods, s.MaxPods)})
	}
	used := s.used
	for range own {
		used = used.Minus(q.pod.Requests)
	}
	free := s.Allocatable.Minus(used)
	if want := q.pod.Requests.CPU; want > 0 && want > free.CPU {
		out = append(out, Reason{CPU, Refuses, "not enough CPU",
			fmt.Sprintf("asks for %s, %s of %s are free", cores(want), cores(free.CPU), cores(s.Allocatable.CPU))})
	}
	if want := q.pod.Requests.Memory; want > 0 && want > free.Memory {
		out = append(out, Reason{Memory, Refuses, "not enough memory",
			fmt.Sprintf("asks for %s, %s of %s are free", bytes(want), bytes(free.Memory), bytes(s.Allocatable.Memory))})
	}
	if len(q.shape.Extended) == 0 {
		return out
	}
	taken := b.extendedOn(s)
	for _, name := range slices.Sorted(maps.Keys(q.shape.Extended)) {
		want := q.shape.Extended[name]
		free := s.Extended[name] - taken[name] + int64(own)*want
		if want > 0 && want > free {
			out = append(out, Reason{Extended, Refuses, "not enough " + name,
				fmt.Sprintf("asks for %d, %d of %d are free", want, free, s.Extended[name])})
		}
	}
	return out
}

// extendedOn adds up what the pods of a node take beyond CPU and memory.
func (b *Board) extendedOn(s *seat) map[string]int64 {
	if s.extended != nil {
		return s.extended
	}
	s.extended = map[string]int64{}
	b.guests(s, model.Key{}, func(p *model.Pod) {
		if p.Shape == nil {
			return
		}
		for name, n := range p.Shape.Extended {
			s.extended[name] += n
		}
	})
	return s.extended
}

// ports looks for host ports that somebody has.
func (b *Board) ports(out []Reason, q *question, s *seat) []Reason {
	if len(q.shape.Ports) == 0 {
		return out
	}
	taken := b.portsOn(s)
	if b.own(s, q.pod) > 0 {
		taken = nil
		b.guests(s, q.self, func(p *model.Pod) { taken = addPorts(taken, p) })
	}
	for _, want := range q.shape.Ports {
		if slices.ContainsFunc(taken, func(has model.HostPort) bool { return clash(want, has) }) {
			out = append(out, Reason{Port, Refuses, fmt.Sprintf("host port %d/%s is taken", want.Port, want.Protocol), ""})
		}
	}
	return out
}

func (b *Board) portsOn(s *seat) []model.HostPort {
	if !s.ported {
		s.ported = true
		b.guests(s, model.Key{}, func(p *model.Pod) { s.ports = addPorts(s.ports, p) })
	}
	return s.ports
}

func addPorts(to []model.HostPort, p *model.Pod) []model.HostPort {
	if p.Shape == nil {
		return to
	}
	return append(to, p.Shape.Ports...)
}

// clash: the address of all addresses clashes with each (scheduler HostPortInfo).
func clash(a, b model.HostPort) bool {
	return a.Port == b.Port && protocol(a) == protocol(b) && (anyAddress(a.IP) || anyAddress(b.IP) || a.IP == b.IP)
}

func protocol(p model.HostPort) string {
	if p.Protocol == "" {
		return "TCP"
	}
	return p.Protocol
}

func anyAddress(ip string) bool { return ip == "" || ip == "0.0.0.0" }

// cores writes thousandths of a core.
func cores(m int64) string {
	if m%1000 == 0 {
		return fmt.Sprint(m / 1000)
	}
	return fmt.Sprintf("%dm", m)
}

// bytes writes an amount in the largest unit that keeps it apart from its neighbours.
func bytes(n int64) string {
	switch {
	case n != 0 && n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<30 || n <= -10<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20 || n <= -1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	default:
		return fmt.Sprintf("%d B", n)
	}
}
