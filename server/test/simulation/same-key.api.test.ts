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

// Two servers on one database, as behind a load balancer: the same key may reach both in the same millisecond.
let directory: string;
let database: TestDatabase;
let servers: [ServerProcess, ServerProcess];

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "florin-same-key-"));
  database = await createTestDatabase();
  const embed = await builtEmbed();
  const options = {
    databaseUrl: database.url,
    dataDirectory: directory,
    embedDirectory: embed.outdir,
    // No server listens there. This test is not about webhooks.
    shopUrl: "http://127.0.0.1:9",
  };
  const first = await startServer(options);
  servers = [first, await startServer(options)];
});

after(async () => {
  await Promise.all((servers ?? []).map((server) => server.kill()));
  await database?.drop();
  await rm(directory, { recursive: true, force: true });
});

let sent = 0;

/** Alternates between the two servers. */
function charge(key: string, body: string | object): Promise<HttpResponse> {
  const server = servers[sent++ % 2] as ServerProcess;
  return post(server.http, "/api/v1/charges", { bearer: server.secretKey, key, body });
}

const rounds = dose("rounds", { short: 20, long: 1_000 });
const pairAmount = 100 * dose("hundred-pairs", { short: 5, long: 500 });

test(`64 requests with one key over two servers create one charge with identical responses; ${rounds} times`, async () => {
  for (let round = 0; round < rounds; round++) {
    const responses = await Promise.all(
      Array.from({ length: 64 }, () =>
        charge(`at once ${round}`, {
          amount: 1000 + round,
          currency: "usd",
          payment_method_id: round % 5 === 4 ? "pm_card_visa_chargeDeclined" : "pm_card_visa",
        }),
      ),
    );
    const bodies = new Set(responses.map(({ status, body }) => `${status} ${body}`));
    assert.equal(bodies.size, 1, [...bodies].join("\n"));
    assert.equal(responses[0]?.status, round % 5 === 4 ? 402 : 201);
    assert.equal(responses.filter(({ replayed }) => !replayed).length, 1, "one was executed");
  }
  assert.equal(await countCharges("at once %"), rounds);
});

type Body = Readonly<Record<string, unknown>>;

/** A text that is not blank. */
const word = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => `.${text}`);
const anyBody: fc.Arbitrary<Body> = fc.record(
  {
    // The minimum charge in yen is 100.
    amount: fc.integer({ min: 100, max: 999_999 }),
    currency: fc.constantFrom("usd", "eur", "jpy"),
    payment_method_id: fc.constantFrom("pm_card_visa", "pm_card_mastercard"),
    description: word,
    off_session: fc.boolean(),
    metadata: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), word, { maxKeys: 3 }),
  },
  { requiredKeys: ["amount", "currency", "payment_method_id"], noNullPrototype: true },
);

/** Another encoding of the same JSON value: other field order, spaces, number formats and escapes. */
const spelling = fc.record({
  turn: fc.nat(6),
  space: fc.constantFrom("", " ", "\n\t", "\r\n  "),
  number: fc.constantFrom(
    (n: number) => String(n),
    (n: number) => `${n}.0`,
    (n: number) => `${n}.000`,
    (n: number) => n.toExponential(),
    (n: number) => n.toExponential().toUpperCase(),
    (n: number) => `${n}00e-2`,
  ),
  escapes: fc.boolean(),
});
type Spelling = typeof spelling extends fc.Arbitrary<infer Value> ? Value : never;

function spell(value: unknown, how: Spelling): string {
  const { space, number } = how;
  if (typeof value === "number") return number(value);
  if (typeof value === "string") return how.escapes ? escaped(value) : JSON.stringify(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value);
  const turn = entries.length === 0 ? 0 : how.turn % entries.length;
  const turned = [...entries.slice(turn), ...entries.slice(0, turn)];
  const fields = turned.map(
    ([k, v]) => `${space}${spell(k, how)}${space}:${space}${spell(v, how)}`,
  );
  return `${space}{${fields.join(",")}${space}}${space}`;
}

/** Returns the text with every character as \uXXXX. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`;
}

/** Changes one field, which makes it another request. */
const change = fc.constantFrom<(body: Body) => Body>(
  (body) => ({ ...body, amount: (body.amount as number) + 1 }),
  (body) => ({ ...body, currency: body.currency === "usd" ? "eur" : "usd" }),
  (body) => ({ ...body, description: `${body.description ?? ""}.` }),
  (body) => ({ ...body, metadata: { ...(body.metadata as object), zzzzzzzzz: "1" } }),
  (body) => ({ ...body, off_session: !(body.off_session ?? false) }),
  (body) => ({ ...body, payment_method_id: "pm_card_amex" }),
  // Invalid bodies: the reuse of the key is reported before validation.
  (body) => ({ ...body, amount: "1999" }),
  (body) => ({ ...body, unheard_of: true }),
);

test(`${pairAmount} equal bodies are replayed byte for byte, and ${pairAmount} others rejected with 422 (seed ${seed})`, async () => {
  let pairs = 0;
  const pair = fc.tuple(anyBody, spelling, spelling, change);
  const concurrent = 100;
  await fc.assert(
    fc.asyncProperty(
      fc.array(pair, { minLength: concurrent, maxLength: concurrent }),
      async (batch) => {
        await Promise.all(
          batch.map(async ([body, one, other, differ]) => {
            const key = `pair ${pairs++}`;
            const first = await charge(key, spell(body, one));
            assert.equal(first.status, 201, first.body);
            const again = await charge(key, spell(body, other));
            assert.deepEqual(again, { ...first, replayed: true });
            const rejected = await charge(key, spell(differ(body), other));
            assert.equal(rejected.status, 422, `${rejected.body}\n${JSON.stringify(body)}`);
            assert.match(rejected.body, /"code":"idempotency_key_in_use"/);
          }),
        );
      },
    ),
    { numRuns: pairAmount / concurrent, endOnFailure: true, seed },
  );
  assert.equal(pairs, pairAmount);
  assert.equal(await countCharges("pair %"), pairAmount);
});

test("every invariant holds afterwards", async () => {
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
