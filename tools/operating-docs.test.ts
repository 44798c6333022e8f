import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createGauges } from "../server/src/insights/monitoring/database-gauges.ts";
import { createMetrics } from "../server/src/insights/monitoring/process-metrics.ts";

const read = (name: string) =>
  readFileSync(new URL(`../docs/operating/${name}`, import.meta.url), "utf8");

const alerts = read("alerts.yml");
const alertPage = read("when-something-is-wrong.md");

test("every alert has a section with its name, and every section an alert", () => {
  const alertNames = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  const documented = [...alertPage.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  assert.deepEqual(documented, alertNames);
});

test("every metric in alerts and documentation is collected, with the labels that they use", () => {
  const { registry } = createMetrics();
  const unused = { read: null, connections: null } as never;
  createGauges({ registry, database: unused, clock: unused, sendsMail: true, onError: unused });
  const labels = new Map(
    registry.getMetricsAsArray().map((metric) => {
      const { name, labelNames } = metric as unknown as { name: string; labelNames: string[] };
      return [name, labelNames];
    }),
  );
  for (const text of [alerts, alertPage, read("production.md")]) {
    for (const [, name, requested = ""] of text.matchAll(
      /\b((?:florin|nodejs)_[a-z0-9_]+)(?:\{(.*?)\})?/g,
    )) {
      const known = labels.get(name as string);
      assert(known, `${name} is collected nowhere`);
      for (const [, label] of requested.matchAll(/(\w+)(?:=~|!=|=)"/g)) {
        assert([...known, "job"].includes(label as string), `${name} has no label ${label}`);
      }
    }
  }
});
