import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, mock, test } from "node:test";
import { roles } from "@florin/contract/roles.ts";
import { newId } from "../../src/core/ids.ts";
import {
  type Access,
  maxNetworksPerSite,
  networkLimits,
  type ServedRoute,
} from "../../src/platform/http/access.ts";
import { pngOf } from "../image.ts";
import { createPerson } from "../person.ts";
import { startShop } from "../shop.ts";

/*
 * Tests every route in the running server's own table of routes. A new route without an access rule fails these tests.
 */
const directory = await mkdtemp(join(tmpdir(), "florin-census-"));
await mkdir(join(directory, "assets"));
await writeFile(join(directory, "index.html"), "<!doctype html>");
await writeFile(join(directory, "assets/page.js"), "");
after(() => rm(directory, { recursive: true }));

const accountLimit = 30;
const shop = await startShop({
  workers: false,
  dashboard: { directory },
  rateLimit: accountLimit,
  trustedProxies: ["127.0.0.1/32"],
});
after(() => shop.close());

// Stops the clock that refills the token buckets.
const stopped = performance.now();
const clock = mock.method(performance, "now", () => stopped);
after(() => clock.mock.restore());

/** All routes except HEAD routes. Of the files of the embed's build, only those whose name starts with `frame`. */
const routes = shop.app.servedRoutes.filter(
  ({ method, url }) => method !== "HEAD" && !/^\/embed\/assets\/(?!frame)/.test(url),
);
const nameOf = ({ method, url }: ServedRoute) => `${method} ${url}`;
const accessOf = (route: ServedRoute): Access => {
  assert.ok(route.access, `${nameOf(route)} has no access rule`);
  return route.access;
};
const routesAuthenticatedBy = (authentication: Access["authentication"]) =>
  routes.filter((route) => accessOf(route).authentication === authentication);

/** Returns the route's path with well-formed IDs of objects that do not exist. */
function pathOf({ url }: ServedRoute): string {
  return url
    .replace(":account", newId("acct", shop.clock.now()))
    .replace(":mode", "test")
    .replace(":person", newId("per", shop.clock.now()))
    .replace("/embed/:id", `/embed/${newId("cs", shop.clock.now())}`)
    .replace(":id", newId("ch", shop.clock.now()))
    .replace(/:[a-z]+/g, "nothing");
}

let networks = 0;
/** Returns an address in a network that has not sent a request yet. */
const newNetwork = () => `203.0.113.${++networks}`;

async function request(route: ServedRoute, ip: string, headers: Record<string, string> = {}) {
  const type =
    route.url.startsWith("/simulator/") || route.url.startsWith("/three-d-secure/m")
      ? { "content-type": "application/x-www-form-urlencoded" }
      : {};
  const isForm = Object.keys(type).length > 0;
  return shop.send(route.method, pathOf(route), {
    headers: { "x-forwarded-for": ip, "sec-fetch-site": "same-origin", ...type, ...headers },
    ...(route.method === "POST" && { body: isForm ? "a=1" : {} }),
  });
}

test("every route declares its authentication, permissions and rate limit", () => {
  assert.ok(routes.length > 150);
  for (const route of routes) {
    const { authentication, permission, limit } = accessOf(route);
    const isApi = authentication === "key_or_session";
    assert.equal(route.url.startsWith("/api/v1/"), isApi, nameOf(route));
    assert.equal(permission !== undefined, isApi, `${nameOf(route)}: permission`);
    if (permission) assert.ok(roles.owner.permissions.has(permission), nameOf(route));
    assert.equal(limit === "account", isApi, `${nameOf(route)}: limit`);
    if (typeof limit === "object") assert.ok(limit.unlimited.length > 40, nameOf(route));
    else if (limit !== "account") assert.ok(networkLimits[limit], nameOf(route));
  }
});

test("only the health probes have no rate limit", () => {
  const unlimited = routes.filter((route) => typeof accessOf(route).limit === "object");
  assert.deepEqual(unlimited.map(nameOf), ["GET /livez", "GET /readyz"]);
});

test("every route accepts bodies of at most 64 KiB, except uploads of logos, documents and settlement reports", () => {
  const larger = routes.filter(({ bodyLimitBytes }) => !(bodyLimitBytes <= 65_536));
  assert.deepEqual(
    larger.map((route) => [nameOf(route), route.bodyLimitBytes / 1024 / 1024]),
    [
      ["POST /api/v1/dispute_files", 1.5],
      ["POST /api/v1/account/logo", 0.25],
      ["POST /api/v1/application/documents", 5],
      ["POST /operator/v1/connections/:connection/reports", 32],
    ],
  );
});

for (const [authentication, status] of [
  ["key_or_session", [401]],
  ["session", [401]],
  ["operator_session", [401]],
  ["client_secret", [404, 400]],
  ["callback_secret", [404, 400]],
] as const) {
  test(`${status[0]}: no route with ${authentication} authentication accepts an anonymous caller`, async () => {
    for (const route of routesAuthenticatedBy(authentication)) {
      if (isStaticFile(route)) continue;
      const reply = await request(route, newNetwork6());
      assert.ok(
        (status as readonly number[]).includes(reply.status),
        `${nameOf(route)}: ${reply.status}`,
      );
    }
  });
}

test("the public routes are exactly the listed ones", () => {
  const files = /^\/(embed\/(assets|loader)\/|embed\/(manifest\.json|embed\.js))/;
  const known = routesAuthenticatedBy("public").filter(({ url }) => !files.test(url));
  assert.deepEqual(known.map(nameOf).toSorted(), [
    "GET /",
    "GET /.well-known/apple-developer-merchantid-domain-association",
    "GET /auth/v1/inbox",
    "GET /auth/v1/service",
    "GET /branding/:account/:file",
    "GET /branding/colors/:file",
    "GET /dashboard",
    "GET /dashboard/*",
    "GET /dashboard/assets/*",
    "GET /dashboard/assets/page.js",
    "GET /docs",
    "GET /docs/*",
    "GET /embed.js",
    "GET /embed.json",
    "GET /embed/:id",
    "GET /embed/:id(^cs_[^/]+)/*",
    "GET /embed/:id/",
    "GET /livez",
    "GET /llms.txt",
    "GET /openapi.json",
    "GET /readyz",
    "POST /auth/v1/invitations/read",
    "POST /auth/v1/invitations/sign_up",
    "POST /auth/v1/links/read",
    "POST /auth/v1/operator_set_up",
    "POST /auth/v1/passkeys/sign_in",
    "POST /auth/v1/passkeys/sign_in_options",
    "POST /auth/v1/reset",
    "POST /auth/v1/reset/complete",
    "POST /auth/v1/sign_in",
    "POST /auth/v1/sign_up",
    "POST /auth/v1/sign_up/complete",
    "POST /embed/csp-reports",
    "POST /simulator/wallet/tokens",
  ]);
});

/** For each kind of limit, a route that is cheap to call often. */
const exhausted: Readonly<Record<keyof typeof networkLimits, string>> = {
  pages: "GET /embed.json",
  checkout: "GET /three-d-secure/returned.js",
  cards: "POST /vault/cards",
  acquirers: "POST /acquirers/:key/notifications",
  people: "GET /auth/v1/me",
  failures: "GET /api/v1/account",
};

for (const [kind, example] of Object.entries(exhausted)) {
  const { burst } = networkLimits[kind as keyof typeof networkLimits];
  test(`429: every route limited as ${kind} rejects a network after ${burst} requests, and no other network`, async () => {
    const ip = newNetwork();
    const route = routes.find((one) => nameOf(one) === example) as ServedRoute;
    for (let sent = 0; sent < burst; sent += 50) {
      const batch = Array.from({ length: Math.min(50, burst - sent) }, () => request(route, ip));
      for (const { status } of await Promise.all(batch)) assert.notEqual(status, 429);
    }
    const limited = routes.filter((one) => {
      const { limit } = accessOf(one);
      return kind === "failures" ? limit === "account" : limit === kind;
    });
    assert.ok(limited.length > 0);
    for (const one of limited) {
      const { status, headers, body } = await request(one, ip);
      assert.equal(status, 429, nameOf(one));
      assert.ok(Number(headers.get("retry-after")) >= 1, nameOf(one));
      assert.equal(body.error.code, "endpoint_rate_limit_exceeded");
    }
    assert.notEqual((await request(route, newNetwork())).status, 429);
  });
}

test("429: addresses of one IPv6 /64 share a limit, separate from other networks", async () => {
  const route = routes.find((one) => nameOf(one) === exhausted.cards) as ServedRoute;
  const network = newNetwork6().replace(/::.*$/, "");
  const statuses: number[] = [];
  for (let host = 1; host <= networkLimits.cards.burst + 1; host++) {
    statuses.push((await request(route, `${network}:${host}::${host}`)).status);
  }
  assert.equal(statuses.at(-1), 429);
  assert.equal(statuses.filter((status) => status === 429).length, 1);
  assert.notEqual((await request(route, newNetwork6())).status, 429);
});

test("429: a sender that uses all networks of an IPv6 /48 is limited, and another /48 is not", async () => {
  const route = routes.find((one) => nameOf(one) === exhausted.cards) as ServedRoute;
  const concurrent = networkLimits.cards.burst * maxNetworksPerSite;
  for (let sent = 0; sent < concurrent; sent++) {
    assert.notEqual((await request(route, `2001:db8:48:${sent.toString(16)}::1`)).status, 429);
  }
  assert.equal((await request(route, "2001:db8:48:ffff::1")).status, 429);
  assert.notEqual((await request(route, "2001:db8:49:ffff::1")).status, 429);
});

test("429: a forwarded address with a port and an invalid address are limited as well", async () => {
  const route = routes.find((one) => nameOf(one) === exhausted.cards) as ServedRoute;
  const { burst } = networkLimits.cards;
  for (const forwarded of [
    (at: number) => `198.51.100.1:${50_000 + at}`,
    (at: number) => `unknown-${at}`,
  ]) {
    for (let at = 0; at < burst; at++) {
      assert.notEqual((await request(route, forwarded(at))).status, 429);
    }
    assert.equal((await request(route, forwarded(burst))).status, 429);
  }
});

test("200: a valid key is accepted from a network whose wrong keys are rejected", async () => {
  const ip = newNetwork();
  const route = routes.find((one) => nameOf(one) === exhausted.failures) as ServedRoute;
  const wrong = { authorization: "Bearer sk_test_wrong" };
  for (let sent = 0; sent < networkLimits.failures.burst; sent++) {
    assert.equal((await request(route, ip, wrong)).status, 401);
  }
  assert.equal((await request(route, ip, wrong)).status, 429);
  const { key } = await shop.createMerchant();
  assert.equal((await request(route, ip, { authorization: `Bearer ${key}` })).status, 200);
});

test("429: every route of the API limits each account and mode by requests per second", async () => {
  const { key } = await shop.createMerchant();
  const authorization = `Bearer ${key}`;
  const route = routes.find((one) => nameOf(one) === "GET /api/v1/account") as ServedRoute;
  for (let sent = 0; sent < accountLimit; sent++)
    await request(route, newNetwork6(), { authorization });
  for (const one of routesAuthenticatedBy("key_or_session")) {
    const { status, body } = await request(one, newNetwork6(), { authorization });
    assert.deepEqual([status, body.error.code], [429, "rate_limit_exceeded"], nameOf(one));
  }
});

/** Scripts and styles of the 3-D Secure pages. They are constant. */
function isStaticFile({ url }: ServedRoute): boolean {
  return /\.(js|css)$/.test(url);
}

function newNetwork6(): string {
  networks++;
  return `2001:db8:7:${networks.toString(16)}::1`;
}

/** Returns paths of existing files of a route. */
async function filesOf({ url }: ServedRoute): Promise<readonly string[]> {
  switch (url) {
    case "/branding/:account/:file":
      return [await uploadLogo()];
    case "/branding/colors/:file":
      return ["/branding/colors/1a2b3c-ffffff.css"];
    case "/docs/*":
      return ["/docs/assets/docs.css", "/docs/index.md"];
    default:
      return url.includes("*") || url.includes(":") ? [] : [url];
  }
}

/** Uploads a logo. Returns the path at which the service serves it. */
async function uploadLogo(): Promise<string> {
  const { account } = await shop.createMerchant();
  const owner = await createPerson(shop, { account });
  const { body } = await owner.api("POST", "/account/logo", pngOf(40, 40), false, {
    "content-type": "image/png",
  });
  return body.logo_path;
}

test("caches may store the responses of the listed routes, and no error of any route", async () => {
  const cacheable: string[] = [];
  let errors = 0;
  for (const route of routes) {
    const { status, headers } = await request(route, newNetwork6());
    if (status >= 400) {
      errors += 1;
      assert.equal(headers.get("cache-control"), "no-store", `${nameOf(route)}: ${status}`);
    }
    const paths =
      accessOf(route).authentication === "public" && route.method === "GET"
        ? await filesOf(route)
        : [];
    for (const path of paths) {
      const reply = await shop.send("GET", path, {
        headers: { "x-forwarded-for": newNetwork6() },
      });
      if (reply.headers.get("cache-control") === "no-store") continue;
      assert.equal(reply.status, 200, path);
      if (!cacheable.includes(nameOf(route))) cacheable.push(nameOf(route));
    }
  }
  assert.ok(errors > 150);
  const embedFiles = /^GET \/embed\/(assets|loader)\//;
  assert.deepEqual(cacheable.filter((name) => !embedFiles.test(name)).toSorted(), [
    "GET /branding/:account/:file",
    "GET /branding/colors/:file",
    "GET /dashboard/assets/page.js",
    "GET /docs",
    "GET /docs/*",
    "GET /embed.js",
    "GET /llms.txt",
    "GET /openapi.json",
  ]);
  const unknown = await shop.send("GET", "/no/such/page");
  assert.equal(unknown.headers.get("cache-control"), "no-store");
});

test("no response to a merchant's key may be stored by a cache", async () => {
  const reads = routesAuthenticatedBy("key_or_session").filter(
    ({ method, url }) => method === "GET" && !url.endsWith("/events/stream"),
  );
  let successes = 0;
  let key = "";
  for (const [index, route] of reads.entries()) {
    // Keeps each account below its rate limit.
    if (index % (accountLimit - 1) === 0) ({ key } = await shop.createMerchant());
    const { status, headers } = await request(route, newNetwork6(), {
      authorization: `Bearer ${key}`,
    });
    assert.notEqual(status, 429, nameOf(route));
    if (status === 200) successes += 1;
    assert.equal(headers.get("cache-control"), "no-store", `${nameOf(route)}: ${status}`);
  }
  assert.ok(successes > 20, String(successes));
  const stream = await fetch(`${shop.url}/api/v1/events/stream`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await stream.body?.cancel();
  assert.deepEqual([stream.status, stream.headers.get("cache-control")], [200, "no-store"]);
});

test("no response to a signed-in person may be stored by a cache", async () => {
  const person = await createPerson(shop, { operator: true, secondFactor: true });
  let successes = 0;
  for (const route of [
    ...routesAuthenticatedBy("session"),
    ...routesAuthenticatedBy("operator_session"),
  ]) {
    if (route.method !== "GET") continue;
    const { status, headers } = await request(route, newNetwork6(), { cookie: person.cookie() });
    if (status === 200) successes += 1;
    assert.equal(headers.get("cache-control"), "no-store", `${nameOf(route)}: ${status}`);
  }
  assert.ok(successes > 10);
});
