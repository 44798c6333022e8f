import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Charge, CreateCharge, ListCharges } from "@florin/contract/charge.ts";
import { declineCodes } from "@florin/contract/declines.ts";
import { errorCodes, errorDocPath } from "@florin/contract/errors.ts";
import { ListOf } from "@florin/contract/list.ts";
import { openApi } from "@florin/contract/openapi.ts";
import fastify from "fastify";
import Type from "typebox";
import { decompress } from "../../../test/decompress.ts";
import { serveDocs } from "./docs.routes.ts";

const document = openApi(
  [
    {
      method: "POST",
      path: "/charges",
      summary: "Create a <charge>",
      permission: "payments:write",
      body: CreateCharge,
      response: Charge,
      status: 201,
    },
    {
      method: "GET",
      path: "/charges.csv",
      summary: "Download charges",
      permission: "payments:read",
      response: Type.String({
        description: "One line for each charge.",
        examples: ["id,amount\n"],
      }),
      produces: ["text/csv"],
      status: 200,
    },
    {
      method: "GET",
      path: "/charges",
      summary: "List charges",
      permission: "payments:read",
      query: ListCharges,
      response: ListOf(Charge, "/api/v1/charges"),
      status: 200,
    },
  ],
  { version: "0.1.0" },
);

function reference(publicUrl = "http://pay.example") {
  const app = fastify().decorate("notFoundTexts", new Map());
  serveDocs(app, () => document, {
    publicUrl: () => publicUrl,
    testCards: [{ number: "4242424242424242", group: "success", description: "Always pays." }],
  });
  return app;
}

const app = reference();
const docs = (publicUrl?: string) => reference(publicUrl).inject("/docs/api/charges");

test("a page has the same content with a slash at the end of its address", async () => {
  for (const path of ["/docs", "/docs/api/charges"]) {
    const [plain, withSlash] = [
      await reference().inject(path),
      await reference().inject(`${path}/`),
    ];
    assert.deepEqual([withSlash.statusCode, withSlash.body], [200, plain.body], path);
  }
  assert.equal((await reference().inject("/docs/api/unknown")).statusCode, 404);
});

test("the OpenAPI document is served as generated", async () => {
  const response = await reference().inject("/openapi.json");
  assert.equal(response.headers["content-type"], "application/json; charset=utf-8");
  assert.deepEqual(response.json(), JSON.parse(JSON.stringify(document)));
});

test("the doc_url of every error resolves, and every decline code has an anchor", async () => {
  for (const code of Object.keys(errorCodes) as (keyof typeof errorCodes)[]) {
    const [path = "", anchor] = errorDocPath(code).split("#");
    const { body } = await app.inject(path);
    assert.equal(body.split(`id="${anchor}"`).length, 2, code);
  }
  const { body } = await app.inject("/docs/api/declines");
  for (const code of Object.keys(declineCodes))
    assert.ok(body.includes(`id="decline-${code}"`), code);
});

test("every link of every page resolves", async () => {
  const { body: start } = await app.inject("/docs");
  const pages = new Map<string, string>();
  for (const [, path = ""] of start.matchAll(/<li><a href="(\/docs[^"#]*)"/g)) {
    pages.set(path, (await app.inject(path)).body);
  }
  assert.ok(pages.size > 5);
  for (const [path, body] of pages) {
    for (const [, href = ""] of body.matchAll(/href="((?:\/docs\/api[^"#]*)?#[^"]+)"/g)) {
      const [target, fragment] = href.split("#");
      const linked = pages.get(target === "" ? path : (target ?? ""));
      assert.ok(linked?.includes(`id="${fragment}"`), `${path} links to ${href}`);
    }
  }
});

test("each page has a Markdown file, and llms.txt lists all of them", async () => {
  const list = await app.inject("/llms.txt");
  assert.match(String(list.headers["content-type"]), /^text\/plain/);
  const urls = [...list.body.matchAll(/\]\(http:\/\/pay\.example(\/docs\/[^)]+\.md)\)/g)];
  assert.ok(urls.length > 5);
  for (const [, url = ""] of urls) {
    const file = await app.inject(url);
    assert.match(String(file.headers["content-type"]), /^text\/markdown/, url);
    assert.match(file.body, /^# /, url);
  }
  const { body } = await app.inject("/docs/api/charges.md");
  assert.match(body, /^- `amount` \(body, integer · 1 to [0-9,]+, required\): /m);
  assert.match(
    body,
    /^Returns 201 with \[`Charge`\]\(\/docs\/api\/objects\.md#object-Charge\)\. Requires `/m,
  );
  assert.match(body, /^Returns 200 with a \[list\]\(\/docs\/api\.md#lists\) of /m);
  assert.match(body, /^ {2}"object": "charge",$/m);
  assert.match(body, /^curl http:\/\/pay\.example\/api\/v1\/charges /m);
});

test("the search index contains each operation with its parameters", async () => {
  const entries = (await app.inject("/docs/search.json")).json();
  const found = entries.find(({ url }: { url: string }) => url.endsWith("#charges.create"));
  assert.equal(found.url, "/docs/api/charges#charges.create");
  for (const word of ["POST", "charges.create", "payment_method_id"]) {
    assert.ok(found.text.includes(word), word);
  }
});

test("the page of an operation names each parameter and shows a request that can be run", async () => {
  const { body } = await docs();
  for (const name of Object.keys(CreateCharge.properties))
    assert.ok(body.includes(`<code>${name}</code>`));
  assert.ok(body.includes("curl http://pay.example/api/v1/charges"));
  const cards = await app.inject("/docs/api/test-cards");
  assert.ok(cards.body.includes("4242 4242 4242 4242"));
});

test("a file response is shown as text", async () => {
  const { body } = await docs();
  const [, section = ""] = body.split('id="charges.download"');
  assert.ok(section.includes("Returns <b>200</b> with one line for each charge."));
  assert.match(section, /Response 200<\/figcaption><pre [^>]*><code [^>]*>id,amount\n<\/code>/);
});

test("a page has no inline script and no inline style, and its CSP forbids both", async () => {
  const { body, headers } = await docs();
  assert.doesNotMatch(body, /<script|<style|<img|<iframe| style="| on\w+="/);
  const policy = String(headers["content-security-policy"]).split("; ");
  for (const directive of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ]) {
    assert.ok(policy.includes(directive), directive);
  }
  assert.match((await app.inject("/docs/assets/docs.css")).body, /:root\{/);
});

test("the descriptions of the OpenAPI document and the public URL are escaped", async () => {
  const { body } = await docs(`http://x"><b>`);
  assert.ok(body.includes("Create a &lt;charge&gt;"));
  assert.doesNotMatch(body, /"><b>/);
});

test("a page is sent compressed to clients that accept compression, and uncompressed to others", async () => {
  const get = (encoding?: string) =>
    app.inject({
      url: "/docs/api/charges",
      headers: encoding ? { "accept-encoding": encoding } : {},
    });
  const plain = await get();
  assert.equal(plain.headers["content-encoding"], undefined);
  const [br, gzip] = await Promise.all([get("gzip, deflate, br, zstd"), get("gzip;q=0.5, br;q=0")]);
  assert.deepEqual(
    [br, gzip].map(({ headers }) => [headers["content-encoding"], headers.vary]),
    [
      ["br", "accept-encoding"],
      ["gzip", "accept-encoding"],
    ],
  );
  for (const { rawPayload, headers } of [br, gzip]) {
    assert.ok(decompress(rawPayload, headers["content-encoding"]).equals(plain.rawPayload));
  }
  assert.ok(br.rawPayload.length < plain.rawPayload.length / 4);
  assert.equal(Number(br.headers["content-length"]), br.rawPayload.length);
  assert.equal((await get("identity")).headers["content-encoding"], undefined);
});

test("an unchanged page is not sent again, and each encoding has a different ETag", async () => {
  const get = (headers: Record<string, string>) =>
    app.inject({ url: "/docs/api/charges", headers });
  const first = await get({ "accept-encoding": "br" });
  const etag = String(first.headers.etag);
  const again = await get({ "accept-encoding": "br", "if-none-match": `"other", ${etag}` });
  assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, "", etag]);
  assert.ok(again.headers["content-security-policy"]);
  assert.equal((await get({ "if-none-match": etag })).statusCode, 200);
});

test("all responses with an image share its bytes", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "florin-docs-"));
  t.after(() => rm(directory, { recursive: true }));
  await mkdir(join(directory, "images"));
  await writeFile(join(directory, "images", "one.png"), "image");
  await writeFile(join(directory, "guides.json"), JSON.stringify({ groups: [], pages: [] }));
  const site = fastify().decorate("notFoundTexts", new Map());
  const sent: unknown[] = [];
  site.addHook("onSend", async (_request, _reply, payload) => {
    sent.push(payload);
    return payload;
  });
  serveDocs(site, () => document, { publicUrl: () => "http://pay.example", directory });
  for (let request = 0; request < 2; request++) {
    assert.equal((await site.inject("/docs/images/one.png")).body, "image");
  }
  assert.equal(sent.length, 2);
  assert.equal(sent[0], sent[1]);
});
