import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import fc from "fast-check";
import pg from "pg";
import { printReport } from "../../src/insights/verify/print-report.ts";
import { verify } from "../../src/insights/verify/verify.ts";
import { connectDatabase } from "../../src/platform/database/database.ts";
import { createTestDatabase, type TestDatabase } from "../database.ts";
import { dose, seed } from "../test-size.ts";
import { type HttpResponse, post } from "./requests.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

// Runs two servers on one database, as behind a load balancer. Requests with one key can reach both simultaneously.
let directory: string;
let database: TestDatabase;
const servers: ServerProcess[] = [];

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "florin-same-key-"));
  database = await createTestDatabase();
  const embed = await builtEmbed();
  const options = {
    databaseUrl: database.url,
    dataDirectory: directory,
    embedDirectory: embed.outdir,
    // No server listens here, because this test does not cover webhooks.
    shopUrl: "http://127.0.0.1:9",
  };
  servers.push(await startServer(options));
  servers.push(await startServer(options));
});

after(async () => {
  await Promise.all(servers.map((server) => server.kill()));
  await database?.drop();
  await rm(directory, { recursive: true, force: true });
});

let sent = 0;

/** Creates a charge. Consecutive calls use the two servers in turn. */
function charge(key: string, body: string | object): Promise<HttpResponse> {
  const server = servers[sent++ % 2] as ServerProcess;
  return post(server.http, "/api/v1/charges", { bearer: server.secretKey, key, body });
}

const rounds = dose("rounds", { short: 3, long: 1_000 });
const pairAmount = 100 * dose("hundred-pairs", { short: 5, long: 500 });

test(`64 requests with one key to two servers create one charge and return one response, in each of ${rounds} rounds`, async () => {
  for (let round = 0; round < rounds; round++) {
    const responses = await Promise.all(
      Array.from({ length: 64 }, () =>
        charge(`simultaneous ${round}`, {
          amount: 1000 + round,
          currency: "usd",
          payment_method_id: round % 5 === 4 ? "pm_card_visa_chargeDeclined" : "pm_card_visa",
        }),
      ),
    );
    const bodies = new Set(responses.map(({ status, body }) => `${status} ${body}`));
    assert.equal(bodies.size, 1, [...bodies].join("\n"));
    assert.equal(responses[0]?.status, round % 5 === 4 ? 402 : 201);
    assert.equal(
      responses.filter(({ replayed }) => !replayed).length,
      1,
      "exactly one request was executed",
    );
  }
  assert.equal(await countCharges("simultaneous %"), rounds);
});

type Body = Readonly<Record<string, unknown>>;

const nonBlankString = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => `.${text}`);
const anyBody: fc.Arbitrary<Body> = fc.record(
  {
    // The minimum charge in yen is 100.
    amount: fc.integer({ min: 100, max: 999_999 }),
    currency: fc.constantFrom("usd", "eur", "jpy"),
    payment_method_id: fc.constantFrom("pm_card_visa", "pm_card_mastercard"),
    description: nonBlankString,
    off_session: fc.boolean(),
    metadata: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), nonBlankString, { maxKeys: 3 }),
  },
  { requiredKeys: ["amount", "currency", "payment_method_id"], noNullPrototype: true },
);

/** One way to encode a JSON value: a field order, spaces and escapes. Integers are always written in the same form. */
const encoding = fc.record({
  rotation: fc.nat(6),
  space: fc.constantFrom("", " ", "\n\t", "\r\n  "),
  escapes: fc.boolean(),
});
type Encoding = typeof encoding extends fc.Arbitrary<infer Value> ? Value : never;

function encode(value: unknown, encoding: Encoding): string {
  const { space } = encoding;
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return encoding.escapes ? escaped(value) : JSON.stringify(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value);
  const rotation = entries.length === 0 ? 0 : encoding.rotation % entries.length;
  const rotated = [...entries.slice(rotation), ...entries.slice(0, rotation)];
  const fields = rotated.map(
    ([k, v]) => `${space}${encode(k, encoding)}${space}:${space}${encode(v, encoding)}`,
  );
  return `${space}{${fields.join(",")}${space}}${space}`;
}

/** Returns the JSON string with every character as \uXXXX. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`;
}

/** Changes one field, so that the server must reject the reuse of the key. */
const change = fc.constantFrom<(body: Body) => Body>(
  (body) => ({ ...body, amount: (body.amount as number) + 1 }),
  (body) => ({ ...body, currency: body.currency === "usd" ? "eur" : "usd" }),
  (body) => ({ ...body, description: `${body.description ?? ""}.` }),
  (body) => ({ ...body, metadata: { ...(body.metadata as object), zzzzzzzzz: "1" } }),
  (body) => ({ ...body, off_session: !(body.off_session ?? false) }),
  (body) => ({ ...body, payment_method_id: "pm_card_amex" }),
  // Invalid bodies. The server rejects the reuse of the key before it validates the body.
  (body) => ({ ...body, amount: "1999" }),
  (body) => ({ ...body, unknown_field: true }),
);

test(`a reused key replays the response to each of ${pairAmount} equal bodies, and rejects ${pairAmount} changed bodies with 422 (seed ${seed})`, async () => {
  let pairs = 0;
  const pair = fc.tuple(anyBody, encoding, encoding, change);
  const batchSize = 100;
  await fc.assert(
    fc.asyncProperty(
      fc.array(pair, { minLength: batchSize, maxLength: batchSize }),
      async (batch) => {
        await Promise.all(
          batch.map(async ([body, one, other, differ]) => {
            const key = `pair ${pairs++}`;
            const first = await charge(key, encode(body, one));
            assert.equal(first.status, 201, first.body);
            const again = await charge(key, encode(body, other));
            assert.deepEqual(again, { ...first, replayed: true });
            const rejected = await charge(key, encode(differ(body), other));
            assert.equal(rejected.status, 422, `${rejected.body}\n${JSON.stringify(body)}`);
            assert.match(rejected.body, /"code":"idempotency_key_in_use"/);
          }),
        );
      },
    ),
    { numRuns: pairAmount / batchSize, endOnFailure: true, seed },
  );
  assert.equal(pairs, pairAmount);
  assert.equal(await countCharges("pair %"), pairAmount);
});

test("the database is consistent afterwards", async () => {
  const read = connectDatabase({ url: database.url, poolSize: 1, onIdleError: () => undefined });
  const report = await verify(read, { cards: true, endpointsNeverChanged: true });
  await read.close();
  assert.equal(report.violations, 0, printReport(report));
});

async function countCharges(keys: string): Promise<number> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query("select id from charges where idempotency_key like $1", [
    keys,
  ]);
  await client.end();
  return rows.length;
}
