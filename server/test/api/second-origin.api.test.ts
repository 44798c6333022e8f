import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createCheckout } from "../checkout.ts";
import { createPerson } from "../person.ts";
import { startShop } from "../shop.ts";

/* The page with Google Pay's button has an origin of its own, which the same server serves under another host name. */
const directory = await mkdtemp(join(tmpdir(), "florin-second-origin-"));
await mkdir(join(directory, "assets"));
await writeFile(join(directory, "index.html"), "<!doctype html>");
after(() => rm(directory, { recursive: true }));
const shop = await startShop({
  workers: false,
  dashboard: { directory },
  walletsHost: "localhost",
  trustedProxies: ["127.0.0.1/32"],
});
after(() => shop.close());

const { host, port } = new URL(shop.url);
const walletsHost = `localhost:${port}`;
const session = await createCheckout(shop, { allowed_origins: ["https://shop.example"] });
const page = `/google_pay/${session.session}`;

/** The headers of a request to the second origin, as a browser or a proxy sends them. */
const toSecondOrigin: readonly Record<string, string>[] = [
  { host: walletsHost },
  { host: walletsHost.toUpperCase() },
  { host: `localhost:${Number(port) + 1}` },
  { host: `localhost.:${port}` },
  { host, "x-forwarded-host": walletsHost },
];

async function scriptPath(): Promise<string> {
  const { text } = await shop.send("GET", page, { headers: { host: walletsHost } });
  const [, path] = /<script type="module" src="([^"]+)"/.exec(text) ?? [];
  assert(path, text);
  return path;
}

test("the second origin serves the page and its script, with a policy that allows Google's script only there", async () => {
  for (const headers of toSecondOrigin) {
    const reply = await shop.send("GET", page, { headers });
    assert.equal(reply.status, 200, JSON.stringify(headers));
    assert.match(reply.text, new RegExp(`data-service-origin="${shop.url}"`));
    const policy = reply.headers.get("content-security-policy") ?? "";
    const [, nonce] = /<style nonce="([^"]{24})"/.exec(reply.text) ?? [];
    for (const rule of [
      "default-src 'none'",
      `script-src 'self' 'nonce-${nonce}' https://pay.google.com;`,
      `style-src 'nonce-${nonce}';`,
      "frame-src https://pay.google.com;",
      "form-action https://pay.google.com;",
      "base-uri 'none'",
      `frame-ancestors ${shop.url} https://shop.example;`,
      `report-uri ${shop.url}/embed/csp-reports`,
    ]) {
      assert.ok(policy.includes(rule), `${rule} in ${policy}`);
    }
    assert.doesNotMatch(policy, /unsafe-eval|script-src[^;]*unsafe-inline/);
    assert.match(
      reply.headers.get("permissions-policy") ?? "",
      /camera=\(\).*payment=\(self "https:\/\/pay\.google\.com"\)$/,
    );
    assert.deepEqual(
      ["cache-control", "x-content-type-options", "origin-agent-cluster", "set-cookie"].map(
        (name) => reply.headers.get(name),
      ),
      ["no-store", "nosniff", "?1", null],
    );
    const script = await shop.send("GET", await scriptPath(), { headers });
    assert.deepEqual(
      [
        script.status,
        ...["content-type", "content-security-policy"].map((name) => script.headers.get(name)),
      ],
      [200, "text/javascript; charset=utf-8", "default-src 'none'; sandbox"],
    );
    assert.match(script.text, /pay\.google\.com/);
  }
});

test("the page's nonce is new in each response", async () => {
  const nonces = await Promise.all(
    [1, 2].map(async () => {
      const { text } = await shop.send("GET", page, { headers: { host: walletsHost } });
      return /nonce="([^"]+)"/.exec(text)?.[1];
    }),
  );
  assert.equal(new Set(nonces).size, 2);
});

test("404: the second origin serves no other route of the service, with or without credentials", async () => {
  const { servedRoutes } = shop.app;
  const ofPage = servedRoutes.filter(({ url }) => /^\/google.pay\//.test(url));
  assert.equal(ofPage.filter(({ method }) => method === "GET").length, 2);
  const others = servedRoutes.filter((route) => !ofPage.includes(route));
  assert.ok(others.length > 150);
  const paths = new Map(others.map(({ url, method }) => [url, method]));
  const sent = [...paths, ["/unknown", "GET"], ["/", "OPTIONS"], ["/dashboard", "GET"]] as const;
  for (const [index, [url, method]] of sent.entries()) {
    const reply = await shop.send(method, url.replace(/:\w+(\([^)]*\))?|\*/g, "x"), {
      headers: {
        ...toSecondOrigin[index % toSecondOrigin.length],
        accept: "text/html",
        authorization: `Bearer ${shop.merchant.key}`,
      },
      ...(method === "POST" && { body: {} }),
    });
    const name = `${method} ${url}`;
    assert.equal(reply.status, 404, name);
    assert.equal(reply.text, method === "HEAD" ? "" : "Not found\n", name);
    const policy = reply.headers.get("content-security-policy");
    assert.equal(policy, "default-src 'none'; sandbox", name);
  }
});

test("404: the second origin responds to a URL that no router can read as to every other unknown one", async () => {
  for (const path of ["/%zz", `/google_pay/${"x".repeat(256)}`]) {
    for (const headers of toSecondOrigin) {
      const reply = await shop.send("GET", path, { headers });
      assert.deepEqual([reply.status, reply.text], [404, "Not found\n"], JSON.stringify(headers));
      assert.equal(reply.headers.get("content-security-policy"), "default-src 'none'; sandbox");
    }
    const { status, body } = await shop.send("GET", path, { headers: { host } });
    assert.deepEqual([status >= 400, typeof body.error.code], [true, "string"], path);
  }
});

test("a host that a client forwards does not open the service at the second origin", async () => {
  // A proxy that keeps the browser's host may forward a header that the client has sent.
  const { status, text } = await shop.send("GET", `/embed/${session.session}`, {
    headers: { host: walletsHost, "x-forwarded-host": host },
  });
  assert.deepEqual([status, text], [404, "Not found\n"]);
});

test("no page of another origin may read a response, except the embed's files and the OpenAPI document", async () => {
  const readable = /^\/(embed(\.js|\.json|\/assets\/|\/loader\/)|openapi\.json$)/;
  const routes = shop.app.servedRoutes.filter(({ method }) => method !== "HEAD");
  for (const { method, url } of routes) {
    for (const origin of [`http://${walletsHost}`, "https://shop.example", "null"]) {
      const { headers } = await shop.send(method, url.replace(/:\w+(\([^)]*\))?|\*/g, "x"), {
        headers: { host, origin, "sec-fetch-site": "same-site" },
        ...(method === "POST" && { body: {} }),
      });
      const allowed = headers.get("access-control-allow-origin");
      assert.ok(allowed === null || (allowed === "*" && readable.test(url)), `${method} ${url}`);
      assert.equal(headers.get("access-control-allow-credentials"), null, url);
    }
  }
});

test("403: the second origin cannot change anything with the session of an operator or a member", async () => {
  // Both origins belong to one site, so a browser sends the cookie despite `SameSite=Strict`.
  const operator = await createPerson(shop, { operator: true, secondFactor: true });
  const routes = shop.app.servedRoutes.filter(
    ({ method, url }) =>
      !["GET", "HEAD"].includes(method) && /^\/(auth|operator|api)\/v1\//.test(url),
  );
  assert.ok(routes.length > 100);
  for (const { method, url } of routes) {
    const reply = await shop.send(method, url.replace(/:\w+/g, "x"), {
      headers: {
        host,
        origin: `http://${walletsHost}`,
        "sec-fetch-site": "same-site",
        cookie: operator.cookie(),
        "florin-account": shop.merchant.account,
        "florin-mode": "test",
      },
      ...(method !== "DELETE" && { body: {} }),
    });
    const { code } = reply.body.error;
    assert.deepEqual([reply.status, code], [403, "cross_site_request"], `${method} ${url}`);
  }
});

test("404: the origin of the card form serves neither the page nor its script", async () => {
  for (const path of [page, await scriptPath(), `/embed${await scriptPath()}`]) {
    for (const headers of [{ host }, { host: "pay.example.com" }]) {
      const reply = await shop.send("GET", path, { headers });
      assert.equal(reply.status, 404, path);
    }
  }
});

test("404: the page exists only for open sessions", async () => {
  const ended = await createCheckout(shop);
  const headers = { host: walletsHost };
  const statusOf = async (id: string) =>
    (await shop.send("GET", `/google_pay/${id}`, { headers })).status;
  assert.equal(await statusOf(ended.session), 200);
  await shop.post(`/checkout_sessions/${ended.session}/expire`);
  assert.equal(await statusOf(ended.session), 404);
  for (const id of [`${session.session}x`, "cs_00000000000000000000000000", "x"]) {
    assert.equal(await statusOf(id), 404, id);
  }
});

test("the card form may frame the second origin and open payment sheets only if it offers a wallet of live mode", async () => {
  const { headers } = await shop.send("GET", `/embed/${session.session}`);
  assert.match(headers.get("permissions-policy") ?? "", /payment=\(\)$/);
  assert.match(headers.get("content-security-policy") ?? "", /frame-src 'self';/);
});
