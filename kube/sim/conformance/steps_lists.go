package conformance

import (
	"context"
	"fmt"
	"net/url"
)

var listSteps = []step{
	{"lists and their selectors", func(ctx context.Context, b *bench) error {
		for i := range 5 {
			body := configMap(fmt.Sprintf("l%d", i), fmt.Sprintf(`,"labels":{"t":"list","n":"%d"}`, i), "")
			if err := b.needAll(ctx, post(configMaps, body)); err != nil {
				return err
			}
		}
		return b.askAll(ctx,
			get(configMaps+"?labelSelector=t%3Dlist", "apiVersion", "items.metadata.name", "items.kind"),
			get(configMaps+"?labelSelector=t%3Dlist,n+in+(1,3)", "items.metadata.name"),
			get(configMaps+"?labelSelector=t%3Dlist&fieldSelector=metadata.name%3Dl2", "items.metadata.name"),
			get(configMaps+"?fieldSelector=metadata.name!%3Dl2&labelSelector=t%3Dlist", "items.metadata.name"),
			get(configMaps+"?labelSelector=t%3Dlist&resourceVersion=0", "items.metadata.name"),
			get(configMaps+"?labelSelector=((("),
			get(configMaps+"?fieldSelector=data.k%3Dv"),
			get(pods+"?fieldSelector=spec.nosuch%3Dv"),
			get(configMaps+"?resourceVersion=abc"),
			get(configMaps+"?resourceVersionMatch=Exact"),
			get(configMaps+"?resourceVersion=1&resourceVersionMatch=Sideways"),
			get(configMaps+"?limit=1&continue=nonsense"),
			get(configMaps+"?sendInitialEvents=true"),
		)
	}},
	{"pages", pages},
	{"delete a collection", func(ctx context.Context, b *bench) error {
		return b.askAll(ctx,
			remove(configMaps+"?labelSelector=t%3Dlist,n%3D0", "", "items.metadata.name"),
			remove(configMaps+"?labelSelector=t%3Dlist&dryRun=All", "", "items.metadata.name"),
			get(configMaps+"?labelSelector=t%3Dlist", "items.metadata.name"),
			remove(configMaps+"?labelSelector=t%3Dlist", "", "items.metadata.name"),
			get(configMaps+"?labelSelector=t%3Dlist", "items"),
		)
	}},
	{"pods by field", func(ctx context.Context, b *bench) error {
		if err := b.needAll(ctx, post(pods, pod("f1", "field", onNode)), post(pods, pod("f2", "field", ""))); err != nil {
			return err
		}
		return b.askAll(ctx,
			get("/api/v1/pods?fieldSelector=spec.nodeName%3Dnowhere-{ns}&labelSelector=t%3Dfield", "items.metadata.name"),
			get(pods+"?fieldSelector=spec.nodeName%3D&labelSelector=t%3Dfield", "items.metadata.name"),
			get(pods+"?fieldSelector=status.phase%3DPending&labelSelector=t%3Dfield", "items.metadata.name"),
			get(pods+"?fieldSelector=status.phase!%3DPending&labelSelector=t%3Dfield", "items.metadata.name"),
			remove(pods+"/f1?gracePeriodSeconds=0", "", "metadata.name"), remove(pods+"/f2", "", "metadata.name"),
		)
	}},
}

// pages reads five objects two at a time while one is added: all pages show the state of the first.
func pages(ctx context.Context, b *bench) error {
	next := ""
	for page := range 5 {
		r, err := b.need(ctx, call{method: "GET", path: configMaps + "?labelSelector=t%3Dlist&limit=2&continue=" + url.QueryEscape(next)})
		if err != nil {
			return err
		}
		b.say("page %d: %s", page, asText(pick(r.body, "items.metadata.name")))
		next, _ = pick(r.body, "metadata.continue").(string)
		if page == 0 {
			if err := b.needAll(ctx, post(configMaps, configMap("l9", `,"labels":{"t":"list"}`, ""))); err != nil {
				return err
			}
		}
		if next == "" {
			break
		}
	}
	return b.askAll(ctx, remove(configMaps+"/l9", ""))
}
