import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newId } from "../../src/core/ids.ts";
import { exampleBody } from "../../src/platform/http/reference-example.ts";
import { startChallenge } from "../challenge.ts";
import { createCheckout } from "../checkout.ts";
import { type Client, createClient } from "../client.ts";
import { maxBlockMs, measureBlockMs } from "../event-loop-block.ts";
import { type HostileBody, hostileBodies } from "../hostile-bodies.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { startShop } from "../shop.ts";
import { dose, sample } from "../test-size.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());
const client: Client = createClient(shop.url);
after(() => client.close());

type Route = { readonly method: string; readonly path: string };

/** Returns all routes, parsed from the text that the router prints. */
function readRoutes(): Route[] {
  const parents: string[] = [];
  const tree = shop.app.http.printRoutes({ commonPrefix: false });
  return tree.split("\n").flatMap((line) => {
    const [, indent, part, methods] = /^([│ ]*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    if (indent === undefined || part === undefined) return [];
    const depth = indent.length / 4;
    const path = (depth === 0 ? "" : (parents[depth - 1] ?? "")) + part;
    parents[depth] = path;
    return (methods ?? "")
      .split(", ")
      .filter((method) => method !== "" && method !== "HEAD")
      .map((method) => ({ method, path }));
  });
}

const bodies = hostileBodies();
let owner: TestPerson;
let headersOf: (route: Route) => Record<string, string>;
let fillPath: (path: string) => string;
let examples: Map<string, Record<string, unknown>>;

before(async () => {
  owner = await createPerson(shop, { operator: true, secondFactor: true });
  const checkout = await createCheckout(shop);
  const challenge = await startChallenge(shop, "4000002760003184");
  const { challengeUrl } = {
    challengeUrl: new URL((await challenge.readCharge()).next_action?.url ?? shop.url),
  };
  const document = (await shop.send("GET", "/openapi.json")).body;
  examples = new Map(
    Object.entries<Record<string, never>>(document.paths).flatMap(([path, { post }]) => {
      const { requestBody } = (post ?? {}) as { requestBody?: { content: never } };
      const schema = requestBody?.content["application/json"] as { schema: object } | undefined;
      if (!schema) return [];
      const body = exampleBody(document.components.schemas, schema.schema as never);
      return [[path.replaceAll(/\{(\w+)\}/g, ":$1"), body as Record<string, unknown>]];
    }),
  );
  const apiPaths = new Set(
    Object.keys(document.paths).map((path) => path.replaceAll(/\{(\w+)\}/g, ":$1")),
  );
  const now = shop.clock.now();
  const challengeParts = challengeUrl.pathname.split("/");
  fillPath = (path) => {
    const template = path.split("/");
    // The paths of the challenge document contain a secret.
    if (path.startsWith(`/${challengeParts[1]}/:`)) {
      return template.map((part, n) => (part.startsWith(":") ? challengeParts[n] : part)).join("/");
    }
    return path
      .replace(
        "/embed/api/checkout_sessions/:id",
        `/embed/api/checkout_sessions/${checkout.session}`,
      )
      .replace(/^\/embed\/:id$/, `/embed/${checkout.session}`)
      .replace(":account", shop.merchant.account)
      .replaceAll(/:\w+/g, newId("ch", now));
  };
  headersOf = ({ path }) => {
    if (/^\/(embed|vault)\//.test(path)) return { authorization: `Bearer ${checkout.secret}` };
    if (apiPaths.has(path) && !path.startsWith("/api/v1/application"))
      return { authorization: `Bearer ${shop.merchant.key}` };
    return {
      cookie: owner.cookie(),
      "sec-fetch-site": "same-origin",
      "florin-account": shop.merchant.account,
      "florin-mode": "test",
    };
  };
});

/** The number of routes to test. Each POST route receives a few hundred hostile bodies. */
const routesTested = dose("routes", { short: 8, long: 1_000 });

type Attempt = {
  readonly route: Route;
  readonly what: string;
  readonly body?: HostileBody;
  readonly headers?: Readonly<Record<string, string>>;
  /** Appended to the path. */
  readonly suffix?: string;
};

const withBody = (route: Route, body: HostileBody): Attempt => ({ route, what: body.what, body });

async function send({ route, what, body, headers, suffix = "" }: Attempt): Promise<void> {
  const reply = await client
    .send(route.method, fillPath(route.path) + suffix, {
      headers: {
        ...(route.method !== "GET" && { "content-type": body?.contentType ?? "application/json" }),
        ...(body?.key !== undefined && { "idempotency-key": body.key }),
        ...headersOf(route),
        ...headers,
      },
      ...(body && { body: body.bytes }),
    })
    .catch((error: NodeJS.ErrnoException) => {
      // The server closes the connection without reading a body that is too long. The client's write then fails.
      if (!/ECONNRESET|EPIPE|UND_ERR_SOCKET/.test(String(error.code))) throw error;
      return { status: 413 };
    });
  const { status } = reply;
  assert.ok(status < 500, `${status} for ${what} to ${route.method} ${route.path}`);
}

/** Sends the requests, four at a time, and returns the longest event loop block. */
function maxBlockOf(attempts: readonly Attempt[]): Promise<number> {
  const queue = [...attempts];
  const work = async () => {
    for (let next = queue.pop(); next; next = queue.pop()) await send(next);
  };
  return measureBlockMs(() => Promise.all(Array.from({ length: 4 }, work)));
}

/**
 * Sends each request alone, up to three times. Returns the requests that block the event loop for too long every time.
 */
async function findBlocking(attempts: readonly Attempt[]): Promise<string[]> {
  const found: string[] = [];
  for (const attempt of attempts) {
    const blocks: number[] = [];
    while (blocks.length < 3 && (blocks.length === 0 || Math.min(...blocks) > maxBlockMs)) {
      blocks.push(await maxBlockOf([attempt]));
    }
    const { route, what } = attempt;
    const blockedMs = Math.min(...blocks);
    if (blockedMs > maxBlockMs) {
      found.push(`${what} to ${route.method} ${route.path}: ${Math.round(blockedMs)} ms`);
    }
  }
  return found;
}

async function assertNoneBlocks(attempts: readonly Attempt[]): Promise<void> {
  if ((await maxBlockOf(attempts)) <= maxBlockMs) return;
  assert.deepEqual(await findBlocking(attempts), []);
}

test("no hostile body on any route blocks the event loop for more than 100 ms or causes a 5xx", async () => {
  const routes = readRoutes();
  const posts = routes.filter(({ method }) => method === "POST");
  assert.ok(bodies.length >= 200, `${bodies.length} bodies`);
  assert.ok(posts.length >= 100, `${posts.length} routes that take a body`);
  for (const route of sample(posts, routesTested)) {
    await assertNoneBlocks(bodies.map((body) => withBody(route, body)));
  }
  // The server reads only the bodies of POST requests. For other methods, a few bodies are enough to verify this.
  const someBodies = bodies.filter((_, index) => index % 40 === 0);
  const others = routes.filter(
    ({ method, path }) =>
      method !== "POST" &&
      !/stream$|\*/.test(path) &&
      (method !== "GET" || path.startsWith("/api/")),
  );
  for (const route of sample(others, routesTested)) {
    await assertNoneBlocks(someBodies.map((body) => withBody(route, body)));
  }
});

test("no hostile text in a field of a valid body blocks the event loop for more than 100 ms", async () => {
  const texts = [
    "a",
    " ",
    "4 2 ",
    "a@a.",
    "http://a/?",
    '"number":',
    "e\u0301",
    "👩‍👩‍👧",
    "%34",
    "((",
    "x&&",
  ];
  const maxBytes = 60_000;
  assert.ok(examples.size > 25, `${examples.size} operations with a body`);
  for (const [path, example] of sample([...examples], routesTested)) {
    const route = { method: "POST", path };
    const attempts = Object.keys(example).flatMap((name) =>
      texts.map((unit): Attempt => {
        const text = unit.repeat(Math.floor(maxBytes / Buffer.byteLength(JSON.stringify(unit))));
        const bytes = Buffer.from(JSON.stringify({ ...example, [name]: text }));
        return withBody(route, { what: `${name} of '${unit}'`, bytes });
      }),
    );
    await assertNoneBlocks(attempts);
  }
});

test("no body of seven megabytes on any route blocks the event loop for more than 100 ms", async () => {
  const deep = 3_490_000;
  const bytes = Buffer.from(`{"kind":${"[".repeat(deep)}${"]".repeat(deep)}}`);
  const body = { what: "arrays, 3,490,000 deep", bytes, key: "deep" };
  const posts = readRoutes().filter(({ method }) => method === "POST");
  // Sent sequentially, because the server closes the connection of a request that is rejected for its length.
  for (const route of sample(posts, routesTested)) await assertNoneBlocks([withBody(route, body)]);
});

test("a file of five MiB is received without blocking the event loop", async () => {
  const route = {
    method: "POST",
    path: "/api/v1/application/documents?kind=other&file_name=a.pdf",
  };
  const bytes = Buffer.alloc(5 * 1024 * 1024, "%PDF-1.7 ");
  const file = { what: "a file of five MiB", bytes, contentType: "application/pdf" };
  const uploads = Array.from({ length: 4 }, () => withBody(route, file));
  await assertNoneBlocks(uploads);
});

/** The headers that the service or its libraries parse, each with a beginning that the parser accepts. */
const parsedHeaders: Readonly<Record<string, string>> = {
  accept: "text/html",
  "accept-encoding": "gzip;q=0",
  "accept-language": "en",
  authorization: "Bearer sk",
  "content-type": "application/json; charset=",
  cookie: "a=b",
  host: "a",
  "idempotency-key": "a",
  "if-none-match": 'W/"a"',
  origin: "http://a",
  "user-agent": '"cvc":',
  "x-forwarded-for": "::1",
};
const units = [" ", "\t", ",", ";", ";q=0", "=", "/", "\\", '"', ".", "-", "0", "a", "a,"];
/** Nearly the limit of 16 KiB for all headers of a request. */
const headerBytes = 15_000;
const filledWith = (start: string, unit: string) =>
  `${start}${unit.repeat(Math.floor(headerBytes / unit.length))}!`;

test("no hostile header, path or query blocks the event loop for more than 100 ms or causes a 5xx", async () => {
  const routes = readRoutes().filter(
    ({ method, path }) => !/stream$/.test(path) && !(method === "GET" && path.includes("*")),
  );
  // Everyone can read these pages. The server parses other headers for each of them.
  const pages = ["/openapi.json", "/embed/:id", "/auth/v1/service", "/docs"].map((path) => ({
    method: "GET",
    path,
  }));
  for (const route of [...pages, ...sample(routes, dose("headers", { short: 2, long: 100 }))]) {
    const headers = Object.entries(parsedHeaders).flatMap(([name, start]) =>
      units.map((unit) => ({
        route,
        what: `${name} of '${unit}'`,
        headers: { [name]: filledWith(start, unit) },
      })),
    );
    const paths = ["/a", "?query=", "?"].flatMap((start) =>
      units.map((unit) => ({
        route,
        what: `${start} and '${unit}'`,
        suffix: filledWith(start, unit.replace(/[^!-~]|["\\]/g, encodeURIComponent)),
      })),
    );
    await assertNoneBlocks([...headers, ...paths]);
  }
});
