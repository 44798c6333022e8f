import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Permission } from "@florin/contract/permissions.ts";
import { newId, uuidOf } from "../../src/core/ids.ts";
import { createEventFeed } from "../../src/webhooks/events/event-feed.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop, until } from "../shop.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };

/** Opens the stream and collects its events until it is closed. */
async function open(as = shop.merchant.key, headers: Record<string, string> = {}, query = "") {
  const closing = new AbortController();
  const response = await fetch(`${shop.url}/api/v1/events/stream${query}`, {
    headers: { authorization: `Bearer ${as}`, ...headers },
    signal: closing.signal,
  });
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const events: { id: string; type: string; data: { object: { id: string } } }[] = [];
  const gathering = (async () => {
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk);
      const messages = text.split("\n\n");
      text = messages.pop() ?? "";
      for (const message of messages) {
        const [, id, data] = /^id: (\S+)\ndata: (.+)$/.exec(message) ?? [];
        if (!data) continue;
        assert.equal(JSON.parse(data).id, id);
        events.push(JSON.parse(data));
      }
    }
  })().catch(() => undefined);
  return {
    events,
    ended: gathering,
    async close() {
      closing.abort();
      await gathering;
    },
  };
}

const waitForEvents = (stream: { events: unknown[] }, count: number) =>
  until(
    async () => stream.events.length,
    (length) => length >= count,
  );

test("events are streamed as they occur, and only to their own merchant", async () => {
  const [own, other] = [await open(), await open(shop.otherMerchant.key)];
  const charge = (await shop.post("/charges", visa)).body;
  await waitForEvents(own, 1);
  assert.deepEqual(
    own.events.map(({ type, data }) => [type, data.object.id]),
    [["payment.succeeded", charge.id]],
  );
  assert.deepEqual(other.events, []);
  await own.close();
  await other.close();
});

test("with Last-Event-ID the stream resumes without a gap, even if an event with an earlier id is committed late", async () => {
  const first = await open();
  await shop.post("/charges", visa);
  await waitForEvents(first, 1);
  const early = newId("evt", shop.clock.now());
  const last = first.events.at(-1)?.id as string;
  await first.close();
  await shop.post("/charges", visa);
  // Inserts an event with an earlier id, like one from a long transaction.
  await shop.app.database.transaction(
    (tx) => tx`
      insert into events (account_id, livemode, id, type, object_id, body)
      select account_id, livemode, ${uuidOf(early)}, type, object_id, replace(body, ${last}, ${early})
        from events where id = ${uuidOf(last as `evt_${string}`)}`,
  );
  const again = await open(shop.merchant.key, { "last-event-id": last });
  await waitForEvents(again, 3);
  const ids = again.events.map(({ id }) => id);
  assert.ok(ids.includes(early));
  assert.equal(new Set(ids).size, ids.length, "no stream contains an event twice");
  const all = (await shop.events()).map(({ id }) => id);
  assert.deepEqual(
    all.filter((id) => id > last).filter((id) => !ids.includes(id)),
    [],
  );
  await again.close();
});

test("the stream contains only the requested types", async () => {
  const stream = await open(shop.merchant.key, {}, "?types=payment_failed,ping");
  await shop.post("/charges", visa);
  await shop.post("/charges", { ...visa, payment_method_id: "pm_card_visa_chargeDeclined" });
  await waitForEvents(stream, 1);
  assert.deepEqual(
    stream.events.map(({ type }) => type),
    ["payment_failed"],
  );
  await stream.close();
});

/** Creates a key of the merchant that has only these permissions. */
async function keyWith(...permissions: Permission[]) {
  const { id, secret } = await shop.issueKey(shop.merchant.account, false);
  await shop.app.database.transaction(
    (tx) => tx`update api_keys set permissions = ${permissions} where id = ${uuidOf(id)}`,
  );
  return secret;
}

test("a stream leaves out the events whose object its key may not read", async () => {
  const key = await keyWith("events:read", "payments:read");
  const stream = await open(key);
  const first = (await shop.post("/charges", visa)).body.id;
  await shop.post("/test_helpers/disputes", { charge_id: first });
  const second = (await shop.post("/charges", visa)).body.id;
  await waitForEvents(stream, 2);
  await stream.close();
  assert.deepEqual(
    stream.events.map(({ type, data }) => [type, data.object.id]),
    [first, second].map((id) => ["payment.succeeded", id]),
  );
  const disputes = await shop.get("/events/stream?types=dispute.opened", { as: key });
  assert.deepEqual(errorOf(disputes), [403, "invalid_request_error", "permission_denied"]);
  assert.match(disputes.body.error.message, /'disputes:read'/);
});

test("a stream ends when its member's role may no longer read all of its types", async () => {
  const { account } = await shop.createMerchant();
  const owner = await createPerson(shop, { account });
  const member = await createPerson(shop, { account, role: "developer" });
  const { body } = await fetch(`${shop.url}/api/v1/events/stream`, {
    headers: { cookie: member.cookie(), "florin-account": account, "florin-mode": "test" },
  });
  let hasEnded = false;
  const reading = (async () => {
    for await (const _chunk of body ?? []) assert.ok(!hasEnded);
    hasEnded = true;
  })();
  const { data } = (await owner.api("GET", "/members")).body;
  const { id } = data.find(({ person_id }: { person_id: string }) => person_id === member.id);
  assert.ok(!hasEnded);
  assert.equal((await owner.api("POST", `/members/${id}`, { role: "support" })).status, 200);
  await until(
    async () => hasEnded,
    (ended) => ended,
  );
  await reading;
});

test("400 for an unknown type or cursor, and 401 without a key, in the standard error envelope", async () => {
  const at = (query: string, headers = {}) =>
    shop.send("GET", `/api/v1/events/stream${query}`, {
      headers: { authorization: `Bearer ${shop.merchant.key}`, ...headers },
    });
  assert.deepEqual(errorOf(await at("?types=payment.failed")), [
    400,
    "invalid_request_error",
    "parameter_invalid",
    "types",
  ]);
  assert.deepEqual(errorOf(await at("", { "last-event-id": "7" })), [
    400,
    "invalid_request_error",
    "cursor_invalid",
    "Last-Event-ID",
  ]);
  assert.deepEqual(errorOf(await at("?type=ping")), [
    400,
    "invalid_request_error",
    "parameter_unknown",
    "type",
  ]);
  const { status } = await shop.send("GET", "/api/v1/events/stream");
  assert.equal(status, 401);
});

test("429: one merchant cannot use all streams, and a closed stream frees its slot", async () => {
  const { key } = await shop.createMerchant();
  const streams = await Promise.all(Array.from({ length: 20 }, () => open(key)));
  const rejected = await shop.get("/events/stream", { as: key });
  assert.deepEqual(errorOf(rejected), [429, "rate_limit_error", "concurrency_limit_exceeded"]);
  assert.match(rejected.headers.get("retry-after") ?? "", /^\d+$/);
  await streams.pop()?.close();
  await until(
    () => open(key).catch(() => null),
    (stream) => stream !== null && streams.push(stream) > 0,
  );
  for (const stream of streams) await stream.close();
});

test("a client that disconnects while its request is authenticated occupies no slot", async () => {
  const { key } = await shop.createMerchant();
  const { hostname, port } = new URL(shop.url);
  const request = `GET /api/v1/events/stream HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  await shop.app.database.transaction(async (tx) => {
    // The requests wait for the lock while the service reads their key.
    await tx`lock table api_keys in access exclusive mode`;
    const sockets = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = connect(Number(port), hostname);
        await new Promise((sent) => socket.write(request, sent));
        return socket;
      }),
    );
    await until(
      async () => {
        const [row] = await shop.app.database.read<{ waiting: boolean }>`
          select exists (select from pg_locks where relation = 'api_keys'::regclass and not granted) as waiting`;
        return row?.waiting;
      },
      (isWaiting) => isWaiting === true,
    );
    await sleep(200);
    for (const socket of sockets) socket.resetAndDestroy();
    await sleep(200);
  });
  const stream = await until(
    () => open(key).catch(() => null),
    (opened) => opened !== null,
  );
  await stream?.close();
});

test("a feed of rare types does not read all events since its start again", async () => {
  const { clock, app, merchant } = shop;
  const scope = { account: merchant.account, livemode: false };
  const feed = createEventFeed({ database: app.database, clock }, scope, {
    types: ["ping"],
    after: null,
  });
  const start = clock.now();
  const insertPing = (at: Date) => {
    const id = newId("evt", at);
    return app.database.transaction(
      (tx) => tx`
        insert into events (account_id, livemode, id, type, object_id, body)
        values (${uuidOf(merchant.account)}, false, ${uuidOf(id)}, 'ping', ${uuidOf(id)}, '{}')`,
    );
  };
  clock.advance(10 * 60_000);
  assert.deepEqual(await feed.next(), []);
  // This event is older than the two minutes that a read looks back.
  await insertPing(new Date(start.getTime() + 60_000));
  assert.deepEqual(await feed.next(), []);
  await insertPing(new Date(clock.now().getTime() - 60_000));
  clock.advance(10_000);
  assert.equal((await feed.next()).length, 1);
  assert.deepEqual(await feed.next(), []);
});

test("a feed returns an event that is committed a minute late within ten seconds, and once", async () => {
  const { clock, app } = shop;
  const { account } = await shop.createMerchant();
  const scope = { account, livemode: false };
  const options = { types: null, after: null };
  clock.advance(-2 * 60_000);
  const feed = createEventFeed({ database: app.database, clock }, scope, options);
  clock.advance(2 * 60_000);
  assert.deepEqual(await feed.next(), []);
  const id = newId("evt", new Date(clock.now().getTime() - 60_000));
  await app.database.transaction(
    (tx) => tx`
      insert into events (account_id, livemode, id, type, object_id, body)
      values (${uuidOf(account)}, false, ${uuidOf(id)}, 'ping', ${uuidOf(id)}, '{}')`,
  );
  assert.deepEqual(await feed.next(), [], "most reads look back five seconds");
  clock.advance(10_000);
  assert.deepEqual(await feed.next(), [{ id, body: "{}" }]);
  clock.advance(10_000);
  assert.deepEqual(await feed.next(), []);
});

test("a feed returns large events in small batches, each event once", async () => {
  const { clock, app } = shop;
  const { account } = await shop.createMerchant();
  const scope = { account, livemode: false };
  const feed = createEventFeed({ database: app.database, clock }, scope, {
    types: null,
    after: null,
  });
  const ids = Array.from({ length: 30 }, (_, index) =>
    newId("evt", new Date(clock.now().getTime() + index)),
  );
  const body = JSON.stringify({ text: "x".repeat(60_000) });
  await app.database.transaction(
    (tx) => tx`
      insert into events (account_id, livemode, id, type, object_id, body)
      select ${uuidOf(account)}, false, id, 'ping', id, ${body}
        from unnest(${ids.map(uuidOf)}::uuid[]) as id`,
  );
  const sizes: number[] = [];
  const returned: string[] = [];
  for (;;) {
    const events = await feed.next();
    if (events.length === 0) break;
    sizes.push(events.length);
    returned.push(...events.map(({ id }) => id));
  }
  assert.deepEqual(returned, ids);
  assert.ok(Math.max(...sizes) < 10, `${sizes}`);
});

test("the API reference describes the stream and shows sample messages", async () => {
  const { paths } = (await shop.send("GET", "/openapi.json")).body;
  const { responses, parameters, "x-permission": permission } = paths["/api/v1/events/stream"].get;
  assert.equal(permission, "events:read");
  assert.deepEqual(
    parameters.map(({ name }: { name: string }) => name),
    ["types", "Last-Event-ID"],
  );
  assert.ok(responses[429].description);
  const [example] = responses[200].content["text/event-stream"].schema.examples;
  const [, id, data] = /^: .+\n\nid: (\S+)\ndata: (.+)\n\n:\n\n$/.exec(example) ?? [];
  assert.equal(JSON.parse(data as string).id, id);
  assert.match(
    (await shop.send("GET", "/docs/api/events")).text,
    /curl -N http:\S+\/api\/v1\/events\/stream/,
  );
});

test("revoking a key ends its stream", async () => {
  const { secret, id } = await shop.issueKey(shop.merchant.account, false);
  const stream = await open(secret);
  await shop.app.database.transaction(
    (tx) => tx`update api_keys set revoked_at = now() where id = ${uuidOf(id)}`,
  );
  await stream.ended;
});
