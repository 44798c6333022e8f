import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { createTestDatabase } from "../../test/database.ts";
import { openDatabase } from "../database/database.ts";
import { newId, uuidOf, type WebhookEndpointId } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import { openLocalKeyProvider } from "../vault/local-key-provider.ts";
import { privateNetworks } from "./address-rules.ts";
import { startDeliveries } from "./deliver.ts";
import { releaseDeliveriesOf } from "./delivery.sql.ts";
import type { LogEntry } from "./delivery.ts";
import type { DeliverySettings } from "./delivery-deps.ts";
import { insertEndpoint } from "./endpoint.sql.ts";
import { openResolver } from "./resolve-name.ts";
import { newSigningSecret } from "./signature.ts";
import { sealSigningSecret } from "./signing-keys.ts";

const testDatabase = await createTestDatabase();
const database = openDatabase({ url: testDatabase.url, poolSize: 4, onIdleError: () => {} });
const directory = await mkdtemp(path.join(tmpdir(), "webhooks-"));
const keys = openLocalKeyProvider(directory);
const closing: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const close of closing.reverse()) await close();
  await database.close();
  await testDatabase.drop();
  await rm(directory, { recursive: true });
});

/** Workers of this file, each as if in a process of its own. */
let lastProcess = 0;

/** Each test has a merchant, and a clock, of its own; the workers of earlier tests have stopped. */
async function openWorld() {
  const clock = { time: new Date(), now: () => clock.time };
  const owner: Owner = { account: newId("acct", clock.time), livemode: false };
  await database.transaction(
    (tx) => tx`insert into accounts (id, name) values (${uuidOf(owner.account)}, 'Shop')`,
  );
  const secret = newSigningSecret();

  return {
    owner,
    clock,
    secret,
    advance(ms: number) {
      clock.time = new Date(clock.time.getTime() + ms);
    },
    async endpoint(url: string): Promise<WebhookEndpointId> {
      const id = newId("we", clock.time);
      const current = await sealSigningSecret(keys, { owner, id }, secret);
      await database.transaction((tx) =>
        insertEndpoint(tx, {
          owner,
          id,
          url,
          enabledEvents: ["*"],
          description: null,
          status: "enabled",
          metadata: {},
          secrets: { current, previous: null },
        }),
      );
      return id;
    },
    /** Events as a settlement leaves them, for every endpoint of the merchant. */
    async happen(count = 1): Promise<void> {
      await database.transaction(
        (tx) => tx`
          with happened as (
            insert into events (account_id, livemode, id, type, object_id, body)
            select ${uuidOf(owner.account)}, false, uuidv7(), 'payment.succeeded', uuidv7(),
                   '{"amount":1999,"description":"naïve 日本 ' || n || '"}'
              from generate_series(1, ${count}::integer) n
            returning *
          )
          insert into webhook_deliveries (account_id, livemode, id, event_id, endpoint_id, status, next_attempt_at)
          select e.account_id, e.livemode, delivery_id(e.id, w.id), e.id, w.id, 'pending', ${clock.time}
            from happened e
            join webhook_endpoints w using (account_id, livemode)
        `,
      );
    },
    start(settings: Partial<DeliverySettings> = {}) {
      const number = ++lastProcess;
      const worker = startDeliveries({
        database,
        clock,
        keys,
        chance: () => 0.5,
        processNumber: () => number,
        privateNetworks,
        resolveName: openResolver(),
        settings: { pollMs: 20, ...settings },
        log: {
          workFailed: (what, error) => {
            throw new Error(what, { cause: error });
          },
          endpointDisabled: () => {},
        },
      });
      closing.push(() => worker.stop());
      return worker;
    },
    async deliveries() {
      return database.read<{
        status: string;
        attempts: number;
        next_attempt_at: Date | null;
        claimed_by: number | null;
        log: LogEntry[];
      }>`
        select status, attempts, next_attempt_at, claimed_by, log
          from webhook_deliveries
         where account_id = ${uuidOf(owner.account)}
         order by id
      `;
    },
    /** The only delivery, once it has met this many attempts and they are recorded. */
    async delivery(attempts: number) {
      for (let tries = 0; tries < 500; tries++) {
        const [row] = await this.deliveries();
        if (row && row.log.length === attempts) return row;
        await sleep(10);
      }
      assert.fail(`no record of attempt ${attempts}: ${JSON.stringify(await this.deliveries())}`);
    },
  };
}

type Received = { headers: IncomingMessage["headers"]; body: string };

/** A merchant's server: a real one, on a port that the system picks. */
async function receiver(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    received.push({ headers: request.headers, body });
    answer(response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=1`, received };
}

const fine = (response: ServerResponse) => void response.end("thanks");
const status =
  (code: number, headers = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end();

test("an event reaches its endpoint, signed, and the delivery succeeds", async () => {
  const world = await openWorld();
  const shop = await receiver(fine);
  await world.endpoint(shop.url);
  await world.happen();
  const worker = world.start();
  const delivery = await world.delivery(1);
  assert.equal(delivery.status, "succeeded");
  assert.equal(delivery.attempts, 1);
  const [entry] = delivery.log;
  assert.deepEqual([entry?.status_code, entry?.failure, entry?.response], [200, null, "thanks"]);
  const { headers, body } = shop.received[0] as Received;
  assert.equal(headers["content-type"], "application/json");
  new Webhook(world.secret).verify(body, headers as Record<string, string>);
  assert.match(String(headers["webhook-id"]), /^evt_/);
  await worker.stop();
});

test("wake sends within milliseconds what the next poll would find much later", async () => {
  const world = await openWorld();
  const shop = await receiver(fine);
  await world.endpoint(shop.url);
  const worker = world.start({ pollMs: 60_000 });
  await sleep(100);
  await world.happen();
  const startedAt = performance.now();
  worker.wake();
  while (shop.received.length === 0 && performance.now() - startedAt < 5_000) await sleep(1);
  const tookMs = performance.now() - startedAt;
  assert.ok(tookMs < 500, `${tookMs} ms`);
  await world.delivery(1);
  await worker.stop();
});

test("after a 500 it is tried again five seconds later, signed anew under the same id", async () => {
  const world = await openWorld();
  let answers = 0;
  const shop = await receiver((response) => status(answers++ === 0 ? 500 : 200)(response));
  await world.endpoint(shop.url);
  await world.happen();
  const worker = world.start();
  const failed = await world.delivery(1);
  assert.equal(failed.status, "pending");
  assert.equal(Number(failed.next_attempt_at) - Number(world.clock.time), 5_000);
  await sleep(60);
  assert.equal(shop.received.length, 1);

  world.advance(5_000);
  const delivered = await world.delivery(2);
  assert.deepEqual([delivered.status, delivered.attempts], ["succeeded", 2]);
  const [first, second] = shop.received.map(({ headers }) => headers);
  assert.equal(first?.["webhook-id"], second?.["webhook-id"]);
  assert.equal(Number(second?.["webhook-timestamp"]) - Number(first?.["webhook-timestamp"]), 5);
  assert.notEqual(first?.["service-signature"], second?.["service-signature"]);
  await worker.stop();
});

test("after the tenth failure the delivery is given up", async () => {
  const world = await openWorld();
  const shop = await receiver(status(503));
  await world.endpoint(shop.url);
  await world.happen();
  const worker = world.start();
  for (let attempt = 1; attempt < 10; attempt++) {
    const { next_attempt_at } = await world.delivery(attempt);
    world.clock.time = next_attempt_at as Date;
  }
  const { status: end, attempts } = await world.delivery(10);
  assert.deepEqual([end, attempts, shop.received.length], ["given_up", 10, 10]);
  await worker.stop();
});

test("Retry-After is honoured, up to a day, and never hurries the schedule", async () => {
  for (const [asked, waited] of [
    ["60", 60_000],
    ["1", 5_000],
    ["999999", 86_400_000],
  ] as const) {
    const world = await openWorld();
    const shop = await receiver(status(429, { "retry-after": asked }));
    await world.endpoint(shop.url);
    await world.happen();
    const worker = world.start();
    const { next_attempt_at } = await world.delivery(1);
    assert.equal(Number(next_attempt_at) - Number(world.clock.time), waited);
    await worker.stop();
  }
});

test("an endpoint that does not finish its answer in time has failed", async () => {
  const world = await openWorld();
  const silent = await receiver(() => {});
  await world.endpoint(silent.url);
  await world.happen();
  const worker = world.start({ deadlineMs: 100 });
  const { status: state, log } = await world.delivery(1);
  assert.equal(state, "pending");
  assert.equal(log[0]?.failure?.code, "too_slow");
  await worker.stop();
});

test("the deadline counts the answer's body as well", async () => {
  const world = await openWorld();
  const dripping = await receiver((response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write("."), 20);
    response.on("close", () => clearInterval(drip));
  });
  await world.endpoint(dripping.url);
  await world.happen();
  const worker = world.start({ deadlineMs: 200 });
  const { status: state, log } = await world.delivery(1);
  assert.equal(state, "pending");
  assert.equal(log[0]?.failure?.code, "too_slow");
  await worker.stop();
});

test("410 gives the delivery up, disables the endpoint and says so in an event", async () => {
  const world = await openWorld();
  const gone = await receiver(status(410));
  await world.endpoint(gone.url);
  await world.happen();
  const worker = world.start();
  const { status: state } = await world.delivery(1);
  assert.equal(state, "given_up");
  await worker.stop();
  const endpoints = await database.read<{ status: string }>`
    select status from webhook_endpoints where account_id = ${uuidOf(world.owner.account)}`;
  assert.deepEqual(endpoints, [{ status: "disabled" }]);
  const events = await database.read<{ body: string }>`
    select body from events
     where account_id = ${uuidOf(world.owner.account)} and type = 'webhook_endpoint.disabled'`;
  assert.equal(events.length, 1);
  assert.equal(JSON.parse(events[0]?.body ?? "").data.object.status, "disabled");
});

test("five days of nothing but failure disable an endpoint, and one success in between does not", async () => {
  const day = 24 * 60 * 60 * 1000;
  for (const recovers of [false, true]) {
    const world = await openWorld();
    let answers = 0;
    const shop = await receiver((response) =>
      status(answers++ === 1 && recovers ? 200 : 500)(response),
    );
    await world.endpoint(shop.url);
    // What earlier tests left pending, to receivers that are silent, comes due as well.
    const worker = world.start({ deadlineMs: 500 });
    for (let time = 0; time < 3; time++) {
      await world.happen();
      while (answers <= time) await sleep(5);
      await sleep(50);
      await database.transaction(
        (tx) => tx`
          update webhook_deliveries set status = 'given_up', next_attempt_at = null
           where account_id = ${uuidOf(world.owner.account)} and status = 'pending'`,
      );
      world.advance(3 * day);
    }
    await worker.stop();
    const [row] = await database.read<{ status: string }>`
      select status from webhook_endpoints where account_id = ${uuidOf(world.owner.account)}`;
    assert.equal(row?.status, recovers ? "enabled" : "disabled");
  }
});

test("a redirect is not followed", async () => {
  const world = await openWorld();
  const elsewhere = await receiver(fine);
  const shop = await receiver(status(307, { location: elsewhere.url }));
  await world.endpoint(shop.url);
  await world.happen();
  const worker = world.start();
  const { status: state, log } = await world.delivery(1);
  assert.deepEqual([state, log[0]?.status_code], ["pending", 307]);
  assert.equal(log[0]?.failure?.code, "redirect");
  assert.equal(elsewhere.received.length, 0);
  await worker.stop();
});

test("of a large answer a kilobyte of text is kept, whatever its bytes were", async () => {
  for (const [body, kept] of [
    ["é\0".repeat(40_000), /^(é\ufffd)+é?$/],
    [Buffer.alloc(90_000, 0xff), /^\ufffd+$/],
    ["x".repeat(1_024 * 1_024), /^x+$/],
  ] as const) {
    const world = await openWorld();
    const shop = await receiver((response) => void response.end(body));
    await world.endpoint(shop.url);
    await world.happen();
    const worker = world.start();
    const { status: state, log } = await world.delivery(1);
    assert.equal(state, "succeeded");
    assert.match(String(log[0]?.response), kept);
    const bytes = Buffer.byteLength(String(log[0]?.response));
    assert.ok(bytes > 1_000 && bytes <= 1_024, `${bytes} bytes`);
    await worker.stop();
  }
});

test("an answer of more than a megabyte is cut off, and has failed", async () => {
  const world = await openWorld();
  let cut = false;
  const shop = await receiver((response) => {
    response.writeHead(200);
    const fill = () => {
      while (response.write("é\0".repeat(8192)));
    };
    response.on("drain", fill).on("close", () => {
      cut = !response.writableFinished;
    });
    fill();
  });
  await world.endpoint(shop.url);
  await world.happen();
  const worker = world.start();
  const { status: state, log } = await world.delivery(1);
  assert.equal(state, "pending");
  assert.equal(log[0]?.failure?.code, "body_too_large");
  await sleep(20);
  assert.equal(cut, true);
  await worker.stop();
});

test("a refused connection, a lost one and a server that speaks no HTTP are told apart", async () => {
  const closed = createTcpServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  const tcp = createTcpServer((socket) => {
    // The worker hangs up on whoever speaks no HTTP, and may do so with a reset.
    socket.on("error", () => undefined);
    socket.once("data", (data) => {
      if (data.includes("/lost")) socket.destroy();
      else socket.end("hello, this is no HTTP\r\n\r\n");
    });
  }).listen(0, "127.0.0.1");
  await once(tcp, "listening");
  closing.push(async () => tcp.close());
  const tcpPort = (tcp.address() as AddressInfo).port;
  for (const [url, failure] of [
    [`http://127.0.0.1:${port}/`, "connection_refused"],
    [`http://127.0.0.1:${tcpPort}/lost`, "connection_lost"],
    [`http://127.0.0.1:${tcpPort}/`, "not_http"],
    ["http://no-such-name.invalid/", "name_not_found"],
    [`https://127.0.0.1:${tcpPort}/`, "tls_failed"],
  ] as const) {
    const world = await openWorld();
    await world.endpoint(url);
    await world.happen();
    const worker = world.start();
    const { status: state, log } = await world.delivery(1);
    assert.equal(state, "pending");
    assert.equal(log[0]?.failure?.code, failure);
    await worker.stop();
  }
});

test("where private addresses are not allowed, neither a literal nor a name leads to one", async () => {
  const shop = await receiver(fine);
  for (const url of [shop.url, shop.url.replace("127.0.0.1", "localhost")]) {
    const world = await openWorld();
    await world.endpoint(url);
    await world.happen();
    const worker = startDeliveries({
      database,
      clock: world.clock,
      keys,
      chance: () => 0.5,
      processNumber: () => 999,
      privateNetworks: [],
      resolveName: openResolver(),
      settings: { pollMs: 20 },
      log: {
        workFailed: (what, error) => assert.fail(`${what}: ${error}`),
        endpointDisabled: () => {},
      },
    });
    const { log } = await world.delivery(1);
    assert.equal(log[0]?.failure?.code, "address_refused");
    await worker.stop();
  }
  assert.equal(shop.received.length, 0);
});

test("deliveries to a deleted endpoint are given up with that reason", async () => {
  const world = await openWorld();
  await world.endpoint("http://127.0.0.1:1/");
  await world.happen();
  await database.transaction(
    (tx) => tx`delete from webhook_endpoints where account_id = ${uuidOf(world.owner.account)}`,
  );
  const worker = world.start();
  const { status: state, log } = await world.delivery(1);
  assert.equal(state, "given_up");
  assert.equal(log[0]?.failure?.code, "endpoint_deleted");
  await worker.stop();
});

test("a dead endpoint with a long queue does not delay another", async () => {
  const world = await openWorld();
  const dead = await receiver(() => {});
  await world.endpoint(dead.url);
  await world.happen(5_000);
  const worker = world.start({ deadlineMs: 5_000 });
  while (dead.received.length === 0) await sleep(5);

  const other = await openWorld();
  other.clock.time = world.clock.time;
  const shop = await receiver(fine);
  await other.endpoint(shop.url);
  await other.happen();
  const startedAt = performance.now();
  worker.wake();
  await other.delivery(1);
  const tookMs = performance.now() - startedAt;
  assert.ok(tookMs < 1_000, `${tookMs} ms`);
  assert.ok(dead.received.length <= 8, `${dead.received.length} in flight to the dead one`);
  await database.transaction(
    (tx) => tx`delete from webhook_deliveries where account_id = ${uuidOf(world.owner.account)}`,
  );
  await worker.stop();
});

test("killed in flight, a worker's delivery is sent again at once, under the same id, and its log tells of both", async () => {
  const world = await openWorld();
  let holding = true;
  const shop = await receiver((response) => (holding ? undefined : fine(response)));
  await world.endpoint(shop.url);
  await world.happen();
  const child: ChildProcess = spawn(
    process.execPath,
    [path.join(import.meta.dirname, "../../test/deliver-in-child.ts"), testDatabase.url, directory],
    { stdio: "inherit" },
  );
  while (shop.received.length === 0) await sleep(10);
  child.kill("SIGKILL");
  await once(child, "exit");
  holding = false;
  const [leased] = await world.deliveries();
  assert.deepEqual([leased?.status, leased?.attempts, leased?.log], ["pending", 1, []]);

  world.clock.time = new Date();
  const worker = world.start();
  await sleep(100);
  assert.equal(shop.received.length, 1, "the lease still holds");
  const number = Number(leased?.claimed_by);
  await database.transaction((tx) => releaseDeliveriesOf(tx, number, world.clock.time));
  const { status: state, attempts, log } = await world.delivery(2);
  assert.deepEqual([state, attempts], ["succeeded", 2]);
  assert.deepEqual(
    log.map(({ status_code, failure }) => [status_code, failure?.code]),
    [
      [null, "worker_lost"],
      [200, undefined],
    ],
  );
  assert.equal(shop.received[0]?.headers["webhook-id"], shop.received[1]?.headers["webhook-id"]);
  await worker.stop();
});

test("stop hands back what was claimed and not begun", async () => {
  const world = await openWorld();
  const slow = await receiver((response) => void setTimeout(() => response.end(), 300));
  await world.endpoint(slow.url);
  await world.happen(8);
  const worker = world.start({ mostInFlight: 2 });
  while (slow.received.length < 2) await sleep(5);
  await worker.stop();
  const rows = await world.deliveries();
  const begun = rows.filter(({ attempts }) => attempts === 1);
  assert.deepEqual([begun.length, slow.received.length], [2, 2]);
  assert.ok(begun.every(({ status: state }) => state === "succeeded"));
  const others = rows.filter(({ attempts }) => attempts === 0);
  assert.ok(others.every((row) => Number(row.next_attempt_at) === Number(world.clock.time)));
  assert.equal(others.length, 6);
  await database.transaction(
    (tx) => tx`delete from webhook_deliveries where account_id = ${uuidOf(world.owner.account)}`,
  );
});

test("three workers share 10,000 deliveries, and none is sent twice", async () => {
  const world = await openWorld();
  const seen = new Map<string, number>();
  const shop = await receiver((response, { headers }) => {
    const id = String(headers["webhook-id"]);
    seen.set(id, (seen.get(id) ?? 0) + 1);
    fine(response);
  });
  await world.endpoint(shop.url);
  await world.happen(10_000);
  const workers = [world.start(), world.start(), world.start()];
  while (seen.size < 10_000) await sleep(20);
  await Promise.all(workers.map((worker) => worker.stop()));
  assert.equal(shop.received.length, 10_000);
  const rows = await world.deliveries();
  assert.ok(rows.every(({ status: state, attempts }) => state === "succeeded" && attempts === 1));
});
