package conformance

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

var watchSteps = []step{
	{"watch with a selector", watchWithSelector},
	{"watch-list", watchList},
	asking("watch refused",
		get(configMaps+"?watch=true&sendInitialEvents=true"),
		get(configMaps+"?watch=true&resourceVersionMatch=NotOlderThan"),
		get(configMaps+"?watch=true&resourceVersion=abc"),
	),
}

// watchWithSelector: an object that stops matching is deleted for the watch, one that starts to match is added.
func watchWithSelector(ctx context.Context, b *bench) error {
	r, err := b.need(ctx, call{method: "GET", path: configMaps})
	if err != nil {
		return err
	}
	from := fmt.Sprint(pick(r.body, "metadata.resourceVersion"))
	if err := b.needAll(ctx,
		post(configMaps, configMap("w", `,"labels":{"t":"watch"}`, "")),
		post(configMaps, configMap("unseen", `,"labels":{"t":"other"}`, "")),
		patch(mergePatch, configMaps+"/w", `{"data":{"k":"1"}}`),
		patch(mergePatch, configMaps+"/w", `{"metadata":{"labels":{"t":"other"}}}`),
		patch(mergePatch, configMaps+"/w", `{"data":{"k":"2"}}`),
		patch(mergePatch, configMaps+"/w", `{"metadata":{"labels":{"t":"watch"}}}`),
		remove(configMaps+"/w", ""), remove(configMaps+"/unseen", ""),
	); err != nil {
		return err
	}
	return b.follow(ctx, configMaps+"?watch=true&labelSelector=t%3Dwatch&timeoutSeconds=20&resourceVersion="+from, 5, func(string) error { return nil })
}

// watchList: what is there, a bookmark that says so, and then what happens.
func watchList(ctx context.Context, b *bench) error {
	if err := b.needAll(ctx, post(configMaps, configMap("i1", `,"labels":{"t":"init"}`, "")),
		post(configMaps, configMap("i2", `,"labels":{"t":"init"}`, ""))); err != nil {
		return err
	}
	path := configMaps + "?watch=true&labelSelector=t%3Dinit&timeoutSeconds=20&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
	return b.follow(ctx, path, 4, func(kind string) error {
		if kind != "BOOKMARK" {
			return nil
		}
		return b.needAll(ctx, remove(configMaps+"/i1", ""), remove(configMaps+"/i2", ""))
	})
}

// follow says the first n events of a watch; then is called after each with its type.
func (b *bench) follow(ctx context.Context, path string, n int, then func(kind string) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	target := strings.TrimSuffix(b.base.String(), "/") + strings.ReplaceAll(path, placeholder, b.namespace)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return err
	}
	resp, err := b.http.Do(req)
	if err != nil {
		return fmt.Errorf("watch %s: %w", path, err)
	}
	defer resp.Body.Close()
	d := json.NewDecoder(bufio.NewReader(resp.Body))
	d.UseNumber()
	for i := range n {
		var event map[string]any
		if err := d.Decode(&event); err != nil {
			return fmt.Errorf("watch %s: event %d of %d: %w", path, i+1, n, err)
		}
		b.sayEvent(event)
		if err := then(fmt.Sprint(event["type"])); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) sayEvent(event map[string]any) {
	object, _ := event["object"].(map[string]any)
	switch event["type"] {
	case "BOOKMARK":
		b.say("BOOKMARK %v %s", object["kind"], asText(pick(object, "metadata.annotations")))
	default:
		b.say("%v %v %v labels=%s data=%s", event["type"], object["kind"], pick(object, "metadata.name"),
			asText(pick(object, "metadata.labels")), asText(object["data"]))
	}
}
