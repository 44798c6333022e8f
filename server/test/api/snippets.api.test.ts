import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { OpenApiDocument } from "@florin/contract/openapi.ts";
import { parseCurl } from "@florin/docs-site/parse-curl.ts";
import { endpointsOf, snippetRequest } from "../../src/app/docs/api-operations.ts";
import { basePlaceholder } from "../../src/app/docs/docs-page.ts";
import { type Language, type SnippetRequest, snippetsOf } from "../../src/app/docs/snippets.ts";
import { startShop } from "../shop.ts";

/*
 * Runs the snippets of the API reference against the service, through a proxy that records their requests. In each
 * language, a snippet must send the request that the reference describes. A language whose tools are missing is
 * skipped.
 */
const shop = await startShop({ workers: false });
const document: OpenApiDocument = (await shop.send("GET", "/openapi.json")).body;
const guides = join(import.meta.dirname, "../../../docs/guides");
/**
 * The guide's request that creates a session, with a fixed key. The snippets of this request print one field of the
 * response.
 */
const createSession: SnippetRequest = (() => {
  const guide = readFileSync(join(guides, "accept-a-payment.md"), "utf8");
  const [, info, code = ""] = /```(sh prints=\w+)\n([\s\S]*?)```/.exec(guide) ?? [];
  return parseCurl(code, info) ?? assert.fail("no request that creates a session");
})();
const allOperations = document.tags
  .flatMap(({ name }) => endpointsOf(document, name))
  .map((endpoint) => snippetRequest(document, endpoint));
const operations = allOperations
  // Skips uploads. They have a snippet for curl only, which reads a file that does not exist here.
  .filter(({ upload }) => upload === undefined);
const requests = [...operations, createSession];

type Recorded = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};
let recorded: Recorded[] = [];

/** The bytes of a document, which are not UTF-8. */
const documentBytes = Buffer.from([0x25, 0x50, 0x44, 0x46, 0x0d, 0xff, 0x00, 0x0a, 0xe2, 0x28]);

const proxy = createServer(async (request, response) => {
  const { method = "", url = "", headers } = request;
  let body = "";
  for await (const chunk of request) body += chunk;
  recorded.push({ method, url, headers, body });
  // The stream of events has no end.
  if (url.endsWith("/stream")) {
    response.end(": events follow\n\n");
    return;
  }
  // The document of an example does not exist.
  if (/\/(?:content|evidence_document)$/.test(url)) {
    response.writeHead(200, { "content-type": "application/pdf" }).end(documentBytes);
    return;
  }
  const { authorization, "content-type": type, "idempotency-key": key } = headers;
  const answer = await fetch(`${shop.url}${url}`, {
    method,
    headers: {
      ...(authorization && { authorization }),
      ...(type && { "content-type": type }),
      ...(typeof key === "string" && { "idempotency-key": key }),
    },
    ...(body !== "" && { body }),
  });
  const { status } = answer;
  response.writeHead(status, { "content-type": answer.headers.get("content-type") ?? "" });
  response.end(await answer.text());
});
await once(proxy.listen(0, "127.0.0.1"), "listening");
const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
const directory = mkdtempSync(join(tmpdir(), "snippets-"));
after(async () => {
  rmSync(directory, { recursive: true });
  proxy.closeAllConnections();
  proxy.close();
  await shop.close();
});

const environment = { ...process.env, FLORIN_SECRET_KEY: shop.merchant.key };
/** The snippets write files to the working directory. */
const options = { env: environment, cwd: directory };
const run = promisify(execFile);

/** Asserts that a snippet has written the document to a file without a change. */
function assertDocumentWritten(folder = directory): void {
  const file = join(folder, "document.pdf");
  assert.deepEqual(readFileSync(file), documentBytes);
  rmSync(file);
}

/** Writes the snippets of a language as files, and returns their paths. */
function filesOf(language: Language, name: string, sent: readonly SnippetRequest[]): string[] {
  const sdk = pathToFileURL(join(import.meta.dirname, "../../../sdk/src/florin.ts")).href;
  return sent.map((request, index) => {
    const folder = join(directory, language, String(index));
    mkdirSync(folder, { recursive: true });
    const code = (snippetsOf(request)[language] ?? assert.fail(language))
      .replaceAll(basePlaceholder, proxyUrl)
      .replace('"@florin/sdk"', JSON.stringify(sdk));
    const file = join(folder, name);
    writeFileSync(file, code);
    return file;
  });
}

/** Asserts that the recorded requests are the described ones, in their order. */
function assertRecorded(sent: readonly SnippetRequest[]): void {
  assert.equal(recorded.length, sent.length);
  for (const [index, { method, path, query, body, idempotencyKey }] of sent.entries()) {
    const { headers, ...request } = recorded[index] as Recorded;
    const place = `${method} ${path}`;
    const { pathname, searchParams } = new URL(request.url, shop.url);
    assert.equal(`${request.method} ${pathname}`, `${method} /api/v1${path}`);
    assert.deepEqual(Object.fromEntries(searchParams), { ...query }, place);
    assert.equal(headers.authorization, `Bearer ${shop.merchant.key}`, place);
    assert.equal(
      typeof headers["idempotency-key"],
      method === "POST" ? "string" : "undefined",
      place,
    );
    if (idempotencyKey) assert.equal(headers["idempotency-key"], idempotencyKey, place);
    if (body === undefined) assert.ok(["", "{}"].includes(request.body), place);
    else {
      assert.deepEqual(JSON.parse(request.body), JSON.parse(JSON.stringify(body)), place);
      assert.match(headers["content-type"] ?? "", /^application\/json/, place);
    }
  }
  assert.ok(sent.length > 4);
}

async function isMissing(command: string, ...args: string[]): Promise<boolean> {
  return run(command, args).then(
    () => false,
    () => true,
  );
}

/** One request of each form, for the languages that compile each snippet. */
const forms = [
  ...new Map(
    operations.map((request) => [
      `${request.method} ${request.responds} ${request.body !== undefined}`,
      request,
    ]),
  ).values(),
  createSession,
];

test("every operation has a snippet in each language", () => {
  assert.ok(requests.length > 80);
  assert.ok(forms.length >= 6);
});

test("the ID in the path of an example has the prefix of its object", () => {
  const paths = allOperations.map(({ path }) => path);
  for (const path of ["/dispute_files/file_", "/disputes/dp_", "/test_helpers/refunds/re_"]) {
    assert.ok(
      paths.some((other) => other.startsWith(path)),
      path,
    );
  }
  assert.deepEqual(
    paths.filter((path) => path.includes("/ch_") && !path.startsWith("/charges/")),
    [],
  );
});

test("the example of an upload has its required query parameters and sends the named file", () => {
  const upload = allOperations.find(({ operationId }) => operationId === "dispute_files.create");
  const { curl } = snippetsOf(upload ?? assert.fail("no operation dispute_files.create"));
  assert.match(curl, /dispute_files\?dispute_id=dp_\w+&file_name=delivery\.pdf" \\$/m);
  assert.match(curl, /--data-binary @delivery\.pdf$/);
});

test("the snippets for curl send the described requests", async (t) => {
  if (await isMissing("curl", "--version")) return t.skip("curl is missing");
  recorded = [];
  const uuidgen = "uuidgen() { cat /proc/sys/kernel/random/uuid; }";
  // Runs all snippets in one shell. A failed snippet ends the shell with an error.
  const script = `${uuidgen}; for file in "$@"; do . "$file" || exit; done`;
  const files = filesOf("curl", "snippet.sh", requests);
  await run("bash", ["-c", script, "bash", ...files], options);
  assertRecorded(requests);
  assertDocumentWritten();
});

test("the snippets for Node send the described requests with the SDK", async () => {
  recorded = [];
  const files = filesOf("node", "snippet.mjs", requests);
  // Objects of the examples do not exist, so the SDK throws an error after many of the requests.
  const main = `for (const file of ${JSON.stringify(files)}) await import(file).catch((error) => {
    if (!("requestId" in error)) throw error;
  });`;
  writeFileSync(join(directory, "main.mjs"), main);
  await run(process.execPath, [join(directory, "main.mjs")], options);
  assertRecorded(requests);
  assertDocumentWritten();
});

test("the snippets for Python send the described requests", async (t) => {
  if (await isMissing("python3", "--version")) return t.skip("python3 is missing");
  recorded = [];
  const files = filesOf("python", "snippet.py", requests);
  const main = `for file in ${JSON.stringify(files)}:
    exec(compile(open(file).read(), file, "exec"), {})
`;
  writeFileSync(join(directory, "main.py"), main);
  const { stdout } = await run("python3", [join(directory, "main.py")], options);
  assertRecorded(requests);
  assertDocumentWritten();
  // The last snippet prints only the URL. Snippets whose object does not exist print the error.
  assert.match(stdout, /\nhttp\S+#\S+\n$/);
  assert.match(stdout, /"resource_missing"/);
});

test("the snippets for PHP send the described requests", async (t) => {
  if (await isMissing("php", "-r", "exit(function_exists('curl_init') ? 0 : 1);"))
    return t.skip("php with curl is missing");
  recorded = [];
  const files = filesOf("php", "snippet.php", requests);
  const main = `<?php foreach (json_decode('${JSON.stringify(files)}') as $file) include $file;`;
  writeFileSync(join(directory, "main.php"), main);
  const args = ["-d", "error_reporting=-1", join(directory, "main.php")];
  const { stdout } = await run("php", args, options);
  assertRecorded(requests);
  assertDocumentWritten();
  assert.match(stdout, /http[^\s"]+#[^\s"]+$/);
});

test("the API accepts every curl command of the guides", async () => {
  const commands = readdirSync(guides).flatMap((name) =>
    [...readFileSync(join(guides, name), "utf8").matchAll(/```sh(?: .*)?\n([\s\S]*?)```/g)].flatMap(
      ([, code = ""]) => parseCurl(code) ?? [],
    ),
  );
  assert.ok(commands.length > 5, String(commands.length));
  for (const { method, path, query, body } of commands) {
    const below = query ? `${path}?${new URLSearchParams(query)}` : path;
    const { status, text } = await shop.send(method, `/api/v1${below}`, {
      headers: { authorization: `Bearer ${shop.merchant.key}` },
      ...(body !== undefined && { body: body as object }),
    });
    // An ID such as `ch_01jb…` does not exist.
    assert.ok(status < 300 || /"resource_missing"/.test(text), `${method} ${path}: ${text}`);
  }
});

test("the snippets for Go of each form send the described requests", async (t) => {
  if (await isMissing("go", "version")) return t.skip("go is missing");
  recorded = [];
  const files = filesOf("go", "main.go", forms);
  const cwd = join(directory, "go");
  writeFileSync(join(cwd, "go.mod"), "module snippets\n\ngo 1.19\n");
  const env = { ...environment, GOTOOLCHAIN: "local", GOPATH: join(directory, "gopath") };
  let printed = "";
  for (const file of files) printed = (await run("go", ["run", file], { cwd, env })).stdout;
  assertRecorded(forms);
  assertDocumentWritten(cwd);
  assert.match(printed, /^http\S+#\S+\n$/);
});

test("the snippets for Java of each form send the described requests", async (t) => {
  if (await isMissing("javac", "-version")) return t.skip("javac is missing");
  recorded = [];
  const snippets = forms.map((form) => snippetsOf(form).java ?? assert.fail());
  const isImport = (line: string) => line.startsWith("import ");
  const lines = snippets.map((code) => code.replaceAll(basePlaceholder, proxyUrl).split("\n"));
  // Compiles all snippets as one program, because the start of the compiler takes most of the time.
  const program = [
    ...new Set(lines.flat().filter(isImport)),
    `public class All { public static void main(String[] args) throws Exception { ${lines.map((_, index) => `Main${index}.main(args);`).join(" ")} } }`,
    ...lines.map((code, index) =>
      code
        .filter((line) => !isImport(line))
        .join("\n")
        .replace("public class Main ", `class Main${index} `),
    ),
  ];
  const file = join(directory, "All.java");
  writeFileSync(file, program.join("\n"));
  // Without the optimizing compiler and parallel garbage collection, this takes less than two thirds of the CPU time.
  const flags = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];
  await run("java", [...flags, file], options);
  assertRecorded(forms);
  assertDocumentWritten();
});
