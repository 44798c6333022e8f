import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { parser } from "@prometheus-io/lezer-promql";
import { parse } from "yaml";
import { chargeStatuses, pendingReasons } from "../contract/src/charge.ts";
import { createGauges } from "../server/src/insights/monitoring/database-gauges.ts";
import { createMetrics, modeOf } from "../server/src/insights/monitoring/process-metrics.ts";

const read = (name: string) =>
  readFileSync(new URL(`../docs/operating/${name}`, import.meta.url), "utf8");
const pages = readdirSync(new URL("../docs/operating/", import.meta.url));

const alerts = read("alerts.yml");
const alertPage = read("when-something-is-wrong.md");

test("every alert has a section with its name, and every section an alert", () => {
  const alertNames = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  const documented = [...alertPage.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  assert.deepEqual(documented, alertNames);
});

/**
 * Returns the labels of each metric that a service exports. The key is the name of the metric or, for a histogram, of
 * each of its series.
 */
function exportedLabels(): ReadonlyMap<string, readonly string[]> {
  const { registry } = createMetrics();
  const unused = { read: null, connections: null } as never;
  createGauges({ registry, database: unused, clock: unused, sendsMail: true, onError: unused });
  return new Map(
    registry.getMetricsAsArray().flatMap((metric): [string, readonly string[]][] => {
      const { name, type, labelNames } = metric as unknown as {
        name: string;
        type: string;
        labelNames: string[];
      };
      if (type !== "histogram") return [[name, labelNames]];
      return [
        [`${name}_bucket`, [...labelNames, "le"]],
        [`${name}_sum`, labelNames],
        [`${name}_count`, labelNames],
      ];
    }),
  );
}

/** The names of a database role, of a cookie and of fields in acquirers' messages, which are not metrics. */
const otherNames = ["audit", "browser", "channel", "charge", "operation", "verification"];

/** The labels that Prometheus adds to every series. */
const targetLabels = ["job", "instance"];

test("every metric in alerts and documentation is collected, with the labels that they use", () => {
  const labels = exportedLabels();
  for (const page of pages) {
    for (const [, name, requested = ""] of read(page).matchAll(
      /\b((?:florin|nodejs)_[a-z0-9_]+)(?:\{(.*?)\})?/g,
    )) {
      if (otherNames.includes((name as string).replace("florin_", ""))) continue;
      const known = labels.get(name as string);
      assert(known, `${page}: ${name} is collected nowhere`);
      for (const [, label] of requested.matchAll(/(\w+)(?:=~|!=|=)"/g)) {
        assert(
          [...known, ...targetLabels].includes(label as string),
          `${name} has no label ${label}`,
        );
      }
    }
  }
});

/** Returns the queries of the alerts and of the Grafana dashboard. */
function allQueries(): string[] {
  const rules: { groups: { rules: { expr: string }[] }[] } = parse(alerts);
  const dashboard: { panels: { title: string; targets?: { expr: string }[] }[] } = JSON.parse(
    readFileSync(new URL("../deploy/grafana/florin.json", import.meta.url), "utf8"),
  );
  const queries = [
    ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ];
  assert(queries.length > 40);
  return queries;
}

/** Returns the texts in double quotes in the code of the service and of the contract, without its tests. */
function textsInCode(): ReadonlySet<string> {
  const files = ["server/src", "contract/src"].flatMap((folder) => {
    const directory = new URL(`../${folder}/`, import.meta.url);
    return readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !/\.(test|fixture)\.ts$/.test(name))
      .map((name) => readFileSync(new URL(name, directory), "utf8"));
  });
  return new Set(
    files.flatMap((code) => [...code.matchAll(/"([^"\\\n]*)"/g)].map(([, text = ""]) => text)),
  );
}

/** The values of labels that have a list in the code. The values of other labels are texts in the code. */
const listedValues: Readonly<Record<string, readonly string[]>> = {
  mode: [modeOf(true), modeOf(false)],
  reason: pendingReasons,
  status: chargeStatuses,
};

test("every value of a label in the queries is one that the service can report", () => {
  const texts = [...textsInCode()];
  let count = 0;
  for (const query of allQueries()) {
    for (const [matcher, label = "", operator = "", value = ""] of query.matchAll(
      /(\w+)(=~|!~|!=|=)"([^"]*)"/g,
    )) {
      // Skips values that the code does not contain: Prometheus adds the labels of targets, statuses are numbers, and
      // `$…` is a variable of the dashboard.
      if (targetLabels.includes(label) || /^\d/.test(value) || value.startsWith("$")) continue;
      const known = listedValues[label] ?? texts;
      for (const alternative of operator.endsWith("~") ? value.split("|") : [value]) {
        const pattern = new RegExp(`^(?:${alternative})$`);
        assert(
          known.some((text) => pattern.test(text)),
          `${query}: no ${matcher}`,
        );
        count++;
      }
    }
  }
  assert(count > 20, String(count));
});

test("every query of the alerts and of the Grafana dashboard is valid, and uses exported metrics and labels", () => {
  const labels = exportedLabels();
  for (const query of allQueries()) {
    // Grafana replaces `$__rate_interval` with a duration.
    const text = query.replaceAll("$__rate_interval", "1m");
    const metrics: string[] = [];
    const used: string[] = [];
    parser.parse(text).iterate({
      enter({ type, from, to, node }) {
        assert(!type.isError, `${query}: syntax error at character ${from}`);
        const word = text.slice(from, to);
        if (type.name === "Identifier" && node.parent?.name === "VectorSelector")
          metrics.push(word);
        if (type.name === "LabelName") used.push(word);
      },
    });
    assert(metrics.length > 0, `${query} uses no metric`);
    const known = metrics.flatMap((name) => {
      if (name === "up") return [];
      const found = labels.get(name);
      assert(found, `${query}: ${name} is collected nowhere`);
      return found;
    });
    for (const label of used) {
      assert([...known, ...targetLabels].includes(label), `${query}: no metric has ${label}`);
    }
  }
});
