import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { versions } from "../../contract/src/versions.ts";
import { billOfMaterials, readLockfile } from "../sbom.ts";
import { root } from "../source-tree.ts";
import { compileService } from "./compile-service.ts";
import { digest, provenance } from "./provenance.ts";
import { copied } from "./service-package.ts";

test("the service's JavaScript keeps every line, and imports no development package", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "florin-compiled-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const { files, packages } = compileService(directory);
  assert.ok(files.length > 500);
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  assert.deepEqual(
    [...packages].filter((name) => devDependencies[name]),
    [],
  );
  for (const file of files) {
    const compiled = readFileSync(join(directory, file.replace(/\.ts$/, ".js")), "utf8");
    const source = readFileSync(join(root, file), "utf8");
    assert.equal(compiled.split("\n").length, source.split("\n").length, file);
    assert.doesNotMatch(compiled, /from "[^"]+\.ts"/, file);
  }
  assert.ok(readdirSync(join(directory, "cli")).includes("florin.js"));
});

test("the package contains each page that the output of a command names", () => {
  const named = ["cli", "server/src"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !/\.(test|fixture)\.ts$/.test(name))
      .flatMap((name) => readFileSync(join(root, folder, name), "utf8").split("\n"))
      .filter((line) => !/^\s*(\*|\/\/|\/\*)/.test(line))
      .flatMap((line) => line.match(/(?<![\w/])docs\/[\w/-]+\.md/g) ?? []),
  );
  assert.ok(named.includes("docs/operating/backup-and-restore.md"), named.join(" "));
  const isCopied = (page: string) =>
    copied.some((path) => page === path || page.startsWith(`${path}/`)) &&
    existsSync(join(root, page));
  assert.deepEqual(
    named.filter((page) => !isCopied(page)),
    [],
  );
});

test("the bill of materials is valid against the CycloneDX schema", async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  const bill = billOfMaterials(readLockfile());
  assert.equal(await validator.validate(JSON.stringify(bill)), null);
  const wrong = { ...bill, serialNumber: "none" };
  assert.notEqual(await validator.validate(JSON.stringify(wrong)), null);
});

test("the provenance has the digests of the packages, the commit and the lockfile", () => {
  const file = join(root, "LICENSE");
  const { subject, predicate } = provenance([file], "c0ffee");
  assert.deepEqual(subject[0]?.digest.sha256, digest("sha256", file));
  const [commit, lockfile] = predicate.buildDefinition.resolvedDependencies;
  assert.deepEqual(commit.digest, { gitCommit: "c0ffee" });
  assert.equal(lockfile.digest.sha256, digest("sha256", join(root, "package-lock.json")));
});

test("versions.ts lists the versions of the packages, and the changelog has an entry for the current version", () => {
  const versionOf = (workspace: string): string =>
    JSON.parse(readFileSync(join(root, workspace, "package.json"), "utf8")).version;
  assert.equal(versionOf("."), versions.service);
  assert.equal(versionOf("cli"), versions.service);
  assert.equal(versionOf("server"), versions.service);
  assert.equal(versionOf("sdk"), versions.sdk);
  assert.equal(versionOf("embed"), versions.react);
  assert.equal(versions.loader, versions.react);
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  assert.match(changelog, new RegExp(`^## ${versions.service.replaceAll(".", "\\.")} `, "m"));
});
