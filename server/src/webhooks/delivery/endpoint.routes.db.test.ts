import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { keyPermissions } from "@florin/contract/permissions.ts";
import { createTestDatabase } from "../../../test/database.ts";
import { ApiError } from "../../core/api-error.ts";
import { unixSeconds } from "../../core/clock.ts";
import { idFromUuid, newId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { createAuditContext } from "../../platform/audit/audit-context.ts";
import { connectDatabase } from "../../platform/database/database.ts";
import { createIdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import { createLocalKeyProvider } from "../../vault/local-key-provider.ts";
import { deliveryRoutes } from "./delivery.routes.ts";
import { endpointRoutes } from "./endpoint.routes.ts";
import { readEndpoint } from "./endpoint.sql.ts";
import { privateNetworks } from "./ip-address-rules.ts";
import { createSigningKeyCache } from "./signing-keys.ts";

const testDatabase = await createTestDatabase();
const directory = await mkdtemp(path.join(tmpdir(), "webhook-routes-"));
const keys = createLocalKeyProvider(directory);
const database = connectDatabase({
  url: testDatabase.url,
  poolSize: 4,
  onIdleError: () => {},
  audit: createAuditContext({
    deriveKey: () => keys.mac(true, Buffer.from("audit_log")),
    copy: () => {},
  }),
});
const idempotencyKeys = createIdempotencyKeys(database);
const clock = { time: new Date("2026-05-15T12:00:00Z"), now: () => clock.time };
let wakes = 0;
const deps = {
  database,
  clock,
  idempotencyKeys,
  keys,
  privateNetworks,
  wakeDeliveries: () => wakes++,
};
const routes = [...endpointRoutes(deps), ...deliveryRoutes(deps)];
after(async () => {
  await idempotencyKeys.close();
  await database.close();
  await testDatabase.drop();
  await rm(directory, { recursive: true });
});

async function createScope(): Promise<Scope> {
  const account = newId("acct", clock.now());
  await database.transaction(
    (tx) => tx`insert into accounts (id, name) values (${uuidOf(account)}, 'Shop')`,
  );
  return { account, livemode: false };
}

type Sent = { id?: string; body?: object; query?: object; key?: string };

/** Calls a route as the server does after authentication and validation. */
async function request(
  scope: Scope,
  endpoint: string,
  { id = "", body, query = {}, key }: Sent = {},
) {
  const [method, pattern] = endpoint.split(" ");
  const route = routes.find((one) => one.method === method && one.path === pattern);
  assert.ok(route, endpoint);
  const response = await route.handle({
    id: newId("req", clock.now()),
    scope,
    actor: { kind: "api_key", id: newId("key", clock.now()), name: "A key" },
    permissions: new Set(keyPermissions),
    authenticatedAt: null,
    ip: "127.0.0.1",
    idempotency: key
      ? { key, fingerprint: hash("sha256", `${endpoint} ${JSON.stringify(body)}`, "buffer") }
      : null,
    params: { id },
    body,
    query,
  });
  return { ...response, object: JSON.parse(response.body) };
}

const create = (scope: Scope, body: object = { url: "http://127.0.0.1:4000/hook" }) =>
  request(scope, "POST /webhook_endpoints", { body }).then(({ object }) => object);

const isMissing = (error: unknown) =>
  error instanceof ApiError && error.code === "resource_missing" && error.status === 404;

test("the secret is in the response to create, and in no later read or list", async () => {
  const shop = await createScope();
  const { secret, ...endpoint } = await create(shop);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(endpoint.enabled_events, ["*"]);
  const { object } = await request(shop, "GET /webhook_endpoints/:id", { id: endpoint.id });
  assert.deepEqual(object, endpoint);
  const list = await request(shop, "GET /webhook_endpoints");
  assert.deepEqual(list.object.data, [endpoint]);
  const stored = await readEndpoint(database.read, shop, endpoint.id);
  assert.equal(stored?.secrets.current.includes(secret), false);
});

test("two creations with the same idempotency key return one endpoint and the same secret", async () => {
  const shop = await createScope();
  const sent = { body: { url: "http://127.0.0.1:4000/" }, key: "once" };
  const first = await request(shop, "POST /webhook_endpoints", sent);
  const second = await request(shop, "POST /webhook_endpoints", sent);
  assert.equal(second.body, first.body);
  assert.equal(second.replayed, true);
  const list = await request(shop, "GET /webhook_endpoints");
  assert.equal(list.object.data.length, 1);
});

test("an update changes only the fields that were sent", async () => {
  const shop = await createScope();
  const url = "http://127.0.0.1:4000/hook";
  const { id } = await create(shop, { url, description: "mine", metadata: { a: "1", b: "2" } });
  const body = { enabled_events: ["payment_failed"], status: "disabled", metadata: { a: null } };
  const { object } = await request(shop, "POST /webhook_endpoints/:id", { id, body });
  assert.deepEqual(
    [object.url, object.description, object.enabled_events, object.status, object.metadata],
    [url, "mine", ["payment_failed"], "disabled", { b: "2" }],
  );
});

test("a deleted, foreign or nonexistent endpoint returns the same error", async () => {
  const shop = await createScope();
  const { id } = await create(shop);
  await assert.rejects(
    request(await createScope(), "GET /webhook_endpoints/:id", { id }),
    isMissing,
  );
  await assert.rejects(
    request({ ...shop, livemode: true }, "GET /webhook_endpoints/:id", { id }),
    isMissing,
  );
  await assert.rejects(request(shop, "GET /webhook_endpoints/:id", { id: "nonsense" }), isMissing);
  const { object } = await request(shop, "DELETE /webhook_endpoints/:id", { id });
  assert.deepEqual(object, { id, object: "webhook_endpoint", deleted: true });
  await assert.rejects(request(shop, "DELETE /webhook_endpoints/:id", { id }), isMissing);
});

test("after a roll both secrets sign until the old one expires, and with expires_in 0 only the new one", async () => {
  const shop = await createScope();
  const { id, secret } = await create(shop);
  const signingKeys = createSigningKeyCache(keys);
  const valid = async (now: Date) => {
    const endpoint = await readEndpoint(database.read, shop, id);
    assert.ok(endpoint);
    const open = await signingKeys(endpoint, now);
    return open.map(({ wholeText }) => wholeText.export().toString());
  };
  const roll = (expires_in: number) =>
    request(shop, "POST /webhook_endpoints/:id/roll_secret", { id, body: { expires_in } });
  const second = (await roll(60)).object.secret;
  const later = (ms: number) => new Date(clock.now().getTime() + ms);
  assert.deepEqual(await valid(later(59_999)), [second, secret]);
  assert.deepEqual(await valid(later(60_000)), [second]);
  const third = (await roll(60)).object.secret;
  assert.deepEqual(await valid(clock.now()), [third, second], "at most two secrets sign");
  const fourth = (await roll(0)).object.secret;
  assert.deepEqual(await valid(clock.now()), [fourth]);
});

test("a list of endpoints is filtered by status, and by whether their deliveries fail", async () => {
  const shop = await createScope();
  const [failing, works, off] = [await create(shop), await create(shop), await create(shop)];
  await request(shop, "POST /webhook_endpoints/:id", { id: off.id, body: { status: "disabled" } });
  await database.transaction(
    (tx) => tx`
      update webhook_endpoints set failing_since = now(), failures = 1
       where account_id = ${uuidOf(shop.account)} and id = ${uuidOf(failing.id)}`,
  );
  const listed = async (query: object) => {
    const list = await request(shop, "GET /webhook_endpoints", { query });
    return list.object.data.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual(await listed({ failing: true }), [failing.id]);
  assert.deepEqual(await listed({ failing: false, status: "enabled" }), [works.id]);
  assert.deepEqual(await listed({ status: "disabled" }), [off.id]);
});

test("a ping or resend ends the backoff of a failing endpoint and is sent first, and a new url resets its failures", async () => {
  const shop = await createScope();
  const { id, ...fresh } = await create(shop);
  const healthOf = ({ failing_since, failures, backoff_until }: typeof fresh) => [
    failing_since,
    failures,
    backoff_until,
  ];
  assert.deepEqual(healthOf(fresh), [null, 0, null]);
  const since = new Date(clock.now().getTime() - 300_000);
  const until = new Date(clock.now().getTime() + 60_000);
  const fail = () =>
    database.transaction(
      (tx) => tx`
        update webhook_endpoints set failing_since = ${since}, failures = 15, backoff_until = ${until}
         where account_id = ${uuidOf(shop.account)}`,
    );
  const now = unixSeconds(clock.now());
  const backoffUntil = async () =>
    (await request(shop, "GET /webhook_endpoints/:id", { id })).object.backoff_until;
  const nextAttempts = async (): Promise<[string, number][]> => {
    const list = await request(shop, "GET /webhook_endpoints/:id/deliveries", { id });
    return list.object.data.map(({ event_id, next_attempt_at }: Record<string, unknown>) => [
      event_id,
      next_attempt_at,
    ]);
  };
  const firstDue = async () => {
    const [row] = await database.read<{ event_id: string }>`
      select event_id from webhook_deliveries where account_id = ${uuidOf(shop.account)}
       order by next_attempt_at limit 1`;
    return row && idFromUuid("evt", row.event_id);
  };

  await fail();
  const read = await request(shop, "GET /webhook_endpoints/:id", { id });
  assert.deepEqual(healthOf(read.object), [unixSeconds(since), 15, unixSeconds(until)]);
  const old = await request(shop, "POST /webhook_endpoints/:id/ping", { id });
  assert.equal(await backoffUntil(), now);
  await fail();
  assert.deepEqual(await nextAttempts(), [[old.object.id, unixSeconds(until)]]);
  const ping = await request(shop, "POST /webhook_endpoints/:id/ping", { id });
  assert.deepEqual([await backoffUntil(), await firstDue()], [now, ping.object.id]);

  await fail();
  const list = await request(shop, "GET /webhook_endpoints/:id/deliveries", { id });
  const of = (event: string) =>
    list.object.data.find((one: { event_id: string }) => one.event_id === event);
  const resent = await request(shop, "POST /webhook_deliveries/:id/resend", {
    id: of(old.object.id).id,
  });
  assert.equal(resent.object.next_attempt_at, now);
  assert.deepEqual([await backoffUntil(), await firstDue()], [now, old.object.id]);

  await fail();
  const all = { id, body: { since: 0 } };
  assert.equal((await request(shop, "POST /webhook_endpoints/:id/resend", all)).object.resent, 0);
  assert.equal(await backoffUntil(), now);

  const moved = { id, body: { url: "http://127.0.0.1:4001/" } };
  const changed = await request(shop, "POST /webhook_endpoints/:id", moved);
  assert.deepEqual(healthOf(changed.object), [null, 0, null]);
  assert.deepEqual(
    (await request(shop, "GET /webhook_endpoints/:id", { id })).object,
    changed.object,
  );
});

test("a ping is sent only to its endpoint, whatever events it subscribes to, and its delivery can be read and resent", async () => {
  const shop = await createScope();
  const { id } = await create(shop, {
    url: "http://127.0.0.1:4000/",
    enabled_events: ["payment_failed"],
  });
  const other = await create(shop);
  const before = wakes;
  const ping = await request(shop, "POST /webhook_endpoints/:id/ping", { id });
  assert.deepEqual([ping.status, ping.object.type, wakes], [201, "ping", before + 1]);
  const list = await request(shop, "GET /webhook_endpoints/:id/deliveries", { id });
  const [delivery] = list.object.data;
  assert.deepEqual(
    [delivery.event_id, delivery.request_body, delivery.status],
    [ping.object.id, ping.body, "pending"],
  );
  const others = await request(shop, "GET /webhook_endpoints/:id/deliveries", { id: other.id });
  assert.deepEqual(others.object.data, []);

  await database.transaction(
    (tx) => tx`
      update webhook_deliveries set status = 'given_up', next_attempt_at = null, attempts = 3
       where account_id = ${uuidOf(shop.account)}`,
  );
  const resent = await request(shop, "POST /webhook_deliveries/:id/resend", { id: delivery.id });
  assert.deepEqual([resent.object.status, resent.object.attempts], ["pending", 0]);
  const read = await request(shop, "GET /webhook_deliveries/:id", { id: delivery.id });
  assert.deepEqual(read.object, resent.object);
});
