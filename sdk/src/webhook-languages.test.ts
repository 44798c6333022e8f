import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { verify } from "./webhooks.ts";

/* Runs the guide's functions that verify signatures without the SDK. Skips languages whose tools are not installed. */
const guide = readFileSync(new URL("../../docs/guides/webhooks.md", import.meta.url), "utf8");
const [, section = assert.fail()] = /### In another language\n([\s\S]*?)\n## /.exec(guide) ?? [];

function codeIn(language: string): string {
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section)?.[1] ?? assert.fail();
}

function exampleOf(name: string): string {
  return new RegExp(`\\| ${name} \\| \`([^|]+)\` \\|`).exec(section)?.[1] ?? assert.fail(name);
}

const vector = {
  body: exampleOf("Body"),
  header: exampleOf("`Service-Signature`"),
  secret: exampleOf("Secret"),
};
const maxAge = 10 ** 10;

type Case = readonly [body: string, header: string, secret: string, tolerance: number];

function signed(body: string, seconds: number, ...secrets: string[]): string {
  const one = (secret: string) =>
    `v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`;
  return [`t=${seconds}`, ...secrets.map(one)].join(",");
}

const body = JSON.stringify({ id: "evt_2", text: "naïve 日本" });
/** Creates the cases when a test needs them, because their times must be close to the time of the verification. */
function createCases() {
  const now = Math.floor(Date.now() / 1000);
  const cases: readonly (readonly [boolean, Case])[] = [
    [true, [vector.body, vector.header, vector.secret, maxAge]],
    [false, [vector.body, vector.header, vector.secret, 300]],
    [true, [body, signed(body, now, "whsec_a"), "whsec_a", 300]],
    [true, [body, signed(body, now, "whsec_b", "whsec_a"), "whsec_a", 300]],
    [false, [body, signed(body, now, "whsec_b"), "whsec_a", 300]],
    [false, [`${body} `, signed(body, now, "whsec_a"), "whsec_a", 300]],
    [false, [body, signed(body, now - 4_000, "whsec_a"), "whsec_a", 300]],
    [false, [body, signed(body, now + 4_000, "whsec_a"), "whsec_a", 300]],
    [false, [body, `t=${now}`, "whsec_a", 300]],
    [false, [body, "v1=é", "whsec_a", 300]],
    [false, [body, `t=${now},v1=é`, "whsec_a", 300]],
    [false, [body, "", "whsec_a", 300]],
    // A superscript digit is a digit in Unicode, but not a decimal number.
    [false, [body, "t=²,v1=00", "whsec_a", 300]],
    [false, [body, `t=${"9".repeat(5_000)},v1=00`, "whsec_a", 300]],
  ];
  return {
    cases,
    expected: cases.map(([valid]) => valid),
    inputs: JSON.stringify(cases.map(([, input]) => input)),
  };
}

/** Writes files to a temporary directory, and returns the directory. */
function directoryWith(t: TestContext, files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), "webhook-"));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

function isMissing(command: string, ...args: string[]): boolean {
  return spawnSync(command, args).status !== 0;
}

test("the example of the guide has a valid signature", async () => {
  const { header, secret, body } = vector;
  const request = { body, headers: { "service-signature": header } };
  const at = new Date(Number(exampleOf("`t`")) * 1000);
  assert.equal((await verify(request, secret, { now: at })).id, "evt_1");
  const changed = { ...request, body: body.replace("ping", "pong") };
  await assert.rejects(verify(changed, secret, { now: at }), { fault: "signature_mismatch" });
});

test("the guide's function for Python accepts only valid signatures", (t) => {
  if (isMissing("python3", "--version")) return t.skip("python3 is missing");
  const { expected, inputs } = createCases();
  const main = `import json
print(json.dumps([verify(b.encode(), h, s, t) for b, h, s, t in json.load(open("cases.json"))]))`;
  const cwd = directoryWith(t, {
    "main.py": `${codeIn("python")}\n${main}`,
    "cases.json": inputs,
  });
  const printed = execFileSync("python3", ["main.py"], { cwd, encoding: "utf8" });
  assert.deepEqual(JSON.parse(printed), expected);
});

test("the guide's function for PHP accepts only valid signatures", (t) => {
  if (isMissing("php", "--version")) return t.skip("php is missing");
  const { expected, inputs } = createCases();
  const main = `echo json_encode(array_map(fn($c) => verify(...$c), json_decode(file_get_contents("cases.json"))));`;
  const cwd = directoryWith(t, { "main.php": `${codeIn("php")}\n${main}`, "cases.json": inputs });
  const printed = execFileSync("php", ["main.php"], { cwd, encoding: "utf8" });
  assert.deepEqual(JSON.parse(printed), expected);
});

test("the guide's function for Go accepts only valid signatures", (t) => {
  if (isMissing("go", "version")) return t.skip("go is missing");
  const { cases, expected } = createCases();
  const calls = cases.map(([, [text, header, secret, tolerance]]) => {
    const [one, two, three] = [text, header, secret].map((value) => JSON.stringify(value));
    return `Verify([]byte(${one}), ${two}, ${three}, ${tolerance})`;
  });
  const cwd = directoryWith(t, {
    "go.mod": "module webhooks\n\ngo 1.19\n",
    "verify.go": codeIn("go").replace("package webhooks", "package main"),
    "main.go": `package main\nimport "fmt"\nfunc main() { fmt.Print(${calls.join(', ",", ')}) }\n`,
  });
  const env = { ...process.env, GOTOOLCHAIN: "local", GOPATH: join(cwd, "gopath") };
  const printed = execFileSync("go", ["run", "."], { cwd, env, encoding: "utf8" });
  assert.deepEqual(
    printed.match(/true|false/g)?.map((word) => word === "true"),
    expected,
  );
});

test("the guide's function for Java accepts only valid signatures", (t) => {
  if (isMissing("javac", "-version")) return t.skip("javac is missing");
  const { cases, expected } = createCases();
  const calls = cases.map(([, [text, header, secret, tolerance]]) => {
    const [one, two, three] = [text, header, secret].map((value) => JSON.stringify(value));
    return `System.out.println(Webhooks.verify(${one}.getBytes(StandardCharsets.UTF_8), ${two}, ${three}, ${tolerance}L));`;
  });
  const lines = codeIn("java").split("\n");
  const isImport = (line: string) => line.startsWith("import ");
  const main = `public class Main { public static void main(String[] args) throws Exception { ${calls.join("\n")} } }`;
  const program = [
    ...lines.filter(isImport),
    main,
    ...lines.filter((line) => !isImport(line)),
  ].join("\n");
  const cwd = directoryWith(t, { "Main.java": program });
  // Without the optimizing compiler and parallel garbage collection, this takes less than two thirds of the CPU time.
  const options = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8"];
  const printed = execFileSync("java", [...options, "Main.java"], { cwd, encoding: "utf8" });
  assert.deepEqual(
    printed.match(/true|false/g)?.map((word) => word === "true"),
    expected,
  );
});
