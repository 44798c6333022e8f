import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { Charge, CreateCharge, ListCharges } from "@florin/contract/charge.ts";
import { declineCodes } from "@florin/contract/declines.ts";
import { errorCodes, errorDocPath } from "@florin/contract/errors.ts";
import { ListOf } from "@florin/contract/list.ts";
import { openApi } from "@florin/contract/openapi.ts";
import fastify from "fastify";
import Type from "typebox";
import { decompress } from "../../../test/decompress.ts";
import { referencePages } from "./reference.routes.ts";

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
      produces: "text/csv",
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
  const app = fastify();
  referencePages(app, document, {
    publicUrl: () => publicUrl,
    testCards: [{ number: "4242424242424242", group: "success", description: "Always pays." }],
  });
  return app;
}

const docs = (publicUrl?: string) => reference(publicUrl).inject("/docs");

test("the reference has the same page with a slash at the end of its address", async () => {
  const withSlash = await reference().inject("/docs/");
  assert.deepEqual([withSlash.statusCode, withSlash.body], [200, (await docs()).body]);
});

test("the document is served as generated", async () => {
  const response = await reference().inject("/openapi.json");
  assert.equal(response.headers["content-type"], "application/json; charset=utf-8");
  assert.deepEqual(response.json(), JSON.parse(JSON.stringify(document)));
});

test("the doc_url of every error and decline code resolves", async () => {
  const { body } = await docs();
  for (const code of Object.keys(errorCodes) as (keyof typeof errorCodes)[]) {
    const anchor = errorDocPath(code).split("#")[1];
    assert.equal(body.split(`id="${anchor}"`).length, 2, code);
  }
  for (const code of Object.keys(declineCodes))
    assert.ok(body.includes(`id="decline-${code}"`), code);
});

test("every link within the page resolves", async () => {
  const { body } = await docs();
  const targets = [...body.matchAll(/href="#([^"]+)"/g)].map(([, target = ""]) => target);
  assert.ok(targets.length > 100);
  for (const target of new Set(targets)) assert.ok(body.includes(`id="${target}"`), target);
});

test("the page names each parameter and shows a request that can be run", async () => {
  const { body } = await docs();
  for (const name of Object.keys(CreateCharge.properties))
    assert.ok(body.includes(`<code>${name}</code>`));
  assert.ok(body.includes("curl http://pay.example/api/v1/charges"));
  assert.ok(body.includes("4242 4242 4242 4242"));
});

test("a file response is shown as text", async () => {
  const { body } = await docs();
  const [, section = ""] = body.split('id="charges.download"');
  assert.ok(section.includes("Returns <b>200</b> with one line for each charge."));
  assert.match(section, /Response 200<\/figcaption><pre tabindex="0"><code>id,amount\n<\/code>/);
});

test("the page makes no requests, and its only style is the one in its CSP", async () => {
  const { body, headers } = await docs();
  assert.doesNotMatch(body, /<script|<link|<img|<iframe|src=|@import|url\(/);
  const style = /<style>([\s\S]*?)<\/style>/.exec(body)?.[1] ?? "";
  const hash = createHash("sha256").update(style).digest("base64");
  assert.match(
    String(headers["content-security-policy"]),
    /^default-src 'none'; style-src 'sha256-/,
  );
  assert.ok(String(headers["content-security-policy"]).includes(hash));
  assert.doesNotMatch(body, / style="/);
});

test("external text is escaped", async () => {
  const { body } = await docs(`http://x"><b>`);
  assert.ok(body.includes("Create a &lt;charge&gt;"));
  assert.doesNotMatch(body, /"><b>/);
});

test("the page is compressed for clients that accept it, and sent uncompressed to others", async () => {
  const app = reference();
  const get = (encoding?: string) =>
    app.inject({ url: "/docs", headers: encoding ? { "accept-encoding": encoding } : {} });
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
  const app = reference();
  const get = (headers: Record<string, string>) => app.inject({ url: "/docs", headers });
  const first = await get({ "accept-encoding": "br" });
  const etag = String(first.headers.etag);
  const again = await get({ "accept-encoding": "br", "if-none-match": `"other", ${etag}` });
  assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, "", etag]);
  assert.ok(again.headers["content-security-policy"]);
  assert.equal((await get({ "if-none-match": etag })).statusCode, 200);
});
