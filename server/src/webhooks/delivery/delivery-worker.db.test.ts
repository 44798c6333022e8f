import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Role } from "@florin/contract/roles.ts";
import { Webhook } from "standardwebhooks";
import { slowed } from "../../../test/slowness.ts";
import { createTestTimers } from "../../../test/test-timers.ts";
import { until } from "../../../test/until.ts";
import { systemClock } from "../../core/clock.ts";
import { type AccountId, idFromUuid, newId, uuidOf } from "../../core/ids.ts";
import { insertMember } from "../../identity/accounts/member.sql.ts";
import { insertPerson } from "../../identity/people/person.sql.ts";
import { pageOf } from "../../platform/http/list.ts";
import { readWaitingMails } from "../../platform/mail/mail.sql.ts";
import {
  closing,
  createDeliveryFixture,
  database,
  directory,
  fine,
  type Received,
  receiver,
  status,
  testDatabase,
} from "./delivery.fixture.ts";
import {
  type DeliveryRow,
  listDeliveries,
  releaseDeliveriesOf,
  resendDelivery,
} from "./delivery.sql.ts";
import type { LogEntry } from "./delivery.ts";
import { endBackoff, readEndpoint } from "./endpoint.sql.ts";

/** Starts a worker and the first turn of its loop. The test starts each later turn. */
function startFirstTurn(fixture: Awaited<ReturnType<typeof createDeliveryFixture>>) {
  const timers = createTestTimers();
  const worker = fixture.start({}, { timers });
  timers.elapse();
  return { worker, timers };
}

test("an event reaches its endpoint, signed, and the delivery succeeds", async () => {
  const fixture = await createDeliveryFixture();
  const shop = await receiver(fine);
  await fixture.endpoint(shop.url);
  await fixture.happen();
  const worker = fixture.start();
  const delivery = await fixture.delivery(1);
  assert.equal(delivery.status, "succeeded");
  assert.equal(delivery.attempts, 1);
  const [entry] = delivery.log;
  assert.deepEqual([entry?.status_code, entry?.failure, entry?.response], [200, null, "thanks"]);
  const { headers, body } = shop.received[0] as Received;
  assert.equal(headers["content-type"], "application/json");
  new Webhook(fixture.secret).verify(body, headers as Record<string, string>);
  assert.match(String(headers["webhook-id"]), /^evt_/);
  await worker.stop();
});

test("wake sends immediately instead of at the next poll", async () => {
  const fixture = await createDeliveryFixture();
  const shop = await receiver(fine);
  await fixture.endpoint(shop.url);
  const timers = createTestTimers();
  const worker = fixture.start({}, { timers });
  await timers.turn();
  await fixture.happen();
  worker.wake();
  await fixture.delivery(1);
  assert.equal(shop.received.length, 1);
  await worker.stop();
});

test("after a 500 the delivery is retried five seconds later, signed again under the same id", async () => {
  const fixture = await createDeliveryFixture();
  let responses = 0;
  const shop = await receiver((response) => status(responses++ === 0 ? 500 : 200)(response));
  await fixture.endpoint(shop.url);
  await fixture.happen();
  const { worker, timers } = startFirstTurn(fixture);
  const failed = await fixture.delivery(1);
  assert.equal(failed.status, "pending");
  assert.equal(Number(failed.next_attempt_at) - Number(fixture.clock.time), 5_000);
  await timers.turn();
  assert.equal(shop.received.length, 1);

  fixture.advance(5_000);
  await timers.turn();
  const delivered = await fixture.delivery(2);
  assert.deepEqual([delivered.status, delivered.attempts], ["succeeded", 2]);
  const [first, second] = shop.received.map(({ headers }) => headers);
  assert.equal(first?.["webhook-id"], second?.["webhook-id"]);
  assert.equal(Number(second?.["webhook-timestamp"]) - Number(first?.["webhook-timestamp"]), 5);
  assert.notEqual(first?.["service-signature"], second?.["service-signature"]);
  await worker.stop();
});

test("after the tenth failure the delivery fails permanently", async () => {
  const fixture = await createDeliveryFixture();
  const shop = await receiver(status(503));
  await fixture.endpoint(shop.url);
  await fixture.happen();
  const worker = fixture.start();
  for (let attempt = 1; attempt < 10; attempt++) {
    const { next_attempt_at } = await fixture.delivery(attempt);
    fixture.clock.time = next_attempt_at as Date;
  }
  const { status: end, attempts } = await fixture.delivery(10);
  assert.deepEqual([end, attempts, shop.received.length], ["given_up", 10, 10]);
  await worker.stop();
});

test("Retry-After is honored, up to a day, and never shortens the schedule", async () => {
  for (const [requested, waited] of [
    ["60", 60_000],
    ["1", 5_000],
    ["999999", 86_400_000],
  ] as const) {
    const fixture = await createDeliveryFixture();
    const shop = await receiver(status(429, { "retry-after": requested }));
    await fixture.endpoint(shop.url);
    await fixture.happen();
    const worker = fixture.start();
    const { next_attempt_at } = await fixture.delivery(1);
    assert.equal(Number(next_attempt_at) - Number(fixture.clock.time), waited);
    await worker.stop();
  }
});

test("a response that does not end in time is a failure", async () => {
  const fixture = await createDeliveryFixture();
  const silent = await receiver(() => {});
  await fixture.endpoint(silent.url);
  await fixture.happen();
  const worker = fixture.start({ deadlineMs: 100 });
  const { status: state, log } = await fixture.delivery(1);
  assert.equal(state, "pending");
  assert.equal(log[0]?.failure?.code, "too_slow");
  await worker.stop();
});

test("the deadline includes the response body", async () => {
  const fixture = await createDeliveryFixture();
  const dripping = await receiver((response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write("."), 20);
    response.on("close", () => clearInterval(drip));
  });
  await fixture.endpoint(dripping.url);
  await fixture.happen();
  const worker = fixture.start({ deadlineMs: 200 });
  const { status: state, log } = await fixture.delivery(1);
  assert.equal(state, "pending");
  assert.equal(log[0]?.failure?.code, "too_slow");
  await worker.stop();
});

test("410 ends the delivery, disables the endpoint, and sends an event and an email", async () => {
  const fixture = await createDeliveryFixture();
  await joinTeam(fixture.scope.account, "developer", "dev@example.com");
  await joinTeam(fixture.scope.account, "analyst", "analyst@example.com");
  const gone = await receiver(status(410));
  await fixture.endpoint(gone.url);
  await fixture.happen();
  const worker = fixture.start();
  const { status: state } = await fixture.delivery(1);
  assert.equal(state, "given_up");
  await worker.stop();
  const endpoints = await database.read<{ status: string; status_code: number }>`
    select status, (last_failure -> 'status_code')::integer as status_code
      from webhook_endpoints where account_id = ${uuidOf(fixture.scope.account)}`;
  assert.deepEqual(endpoints, [{ status: "disabled", status_code: 410 }]);
  const events = await database.read<{ body: string }>`
    select body from events
     where account_id = ${uuidOf(fixture.scope.account)} and type = 'webhook_endpoint.disabled'`;
  assert.equal(events.length, 1);
  assert.equal(JSON.parse(events[0]?.body ?? "").data.object.status, "disabled");
  const emails = await readWaitingMails(database.read, 10);
  assert.deepEqual(
    emails.map(({ to }) => to),
    ["dev@example.com"],
  );
  assert.match(emails[0]?.text ?? "", /it returned 410 Gone/);
});

async function joinTeam(account: AccountId, role: Role, email: string): Promise<void> {
  const now = systemClock.now();
  const person = newId("per", now);
  await database.transaction(async (tx) => {
    const attributes = { name: role, passwordHash: "none", operator: false };
    await insertPerson(tx, { id: person, email, ...attributes });
    await insertMember(tx, { id: newId("mem", now), account, person, role });
  });
}

test("five days of failures disable an endpoint, unless one delivery succeeds", async () => {
  const day = 24 * 60 * 60 * 1000;
  for (const recovers of [false, true]) {
    const fixture = await createDeliveryFixture();
    let responses = 0;
    const shop = await receiver((response) =>
      status(responses++ === 1 && recovers ? 200 : 500)(response),
    );
    await fixture.endpoint(shop.url);
    // Deletes the pending deliveries of earlier tests. They would come due as well, and their receivers do not respond.
    await database.transaction((tx) => tx`delete from webhook_deliveries`);
    const worker = fixture.start();
    for (let time = 0; time < 3; time++) {
      await fixture.happen();
      while (responses <= time) await sleep(5);
      // The worker releases a claim only after it has recorded the response.
      while ((await fixture.deliveries()).some(({ claimed_by }) => claimed_by !== null))
        await sleep(5);
      await database.transaction(
        (tx) => tx`
          update webhook_deliveries set status = 'given_up', next_attempt_at = null
           where account_id = ${uuidOf(fixture.scope.account)} and status = 'pending'`,
      );
      fixture.advance(3 * day);
    }
    await worker.stop();
    const [row] = await database.read<{ status: string }>`
      select status from webhook_endpoints where account_id = ${uuidOf(fixture.scope.account)}`;
    assert.equal(row?.status, recovers ? "enabled" : "disabled");
  }
});

test("a redirect is not followed", async () => {
  const fixture = await createDeliveryFixture();
  const elsewhere = await receiver(fine);
  const shop = await receiver(status(307, { location: elsewhere.url }));
  await fixture.endpoint(shop.url);
  await fixture.happen();
  const worker = fixture.start();
  const { status: state, log } = await fixture.delivery(1);
  assert.deepEqual([state, log[0]?.status_code], ["pending", 307]);
  assert.equal(log[0]?.failure?.code, "redirect");
  assert.equal(elsewhere.received.length, 0);
  await worker.stop();
});

test("the first kilobyte of a large response is stored as text", async () => {
  for (const [body, stored] of [
    ["é\0".repeat(40_000), /^(é\ufffd)+é?$/],
    [Buffer.alloc(90_000, 0xff), /^\ufffd+$/],
    ["x".repeat(1_024 * 1_024), /^x+$/],
  ] as const) {
    const fixture = await createDeliveryFixture();
    const shop = await receiver((response) => void response.end(body));
    await fixture.endpoint(shop.url);
    await fixture.happen();
    const worker = fixture.start();
    const { status: state, log } = await fixture.delivery(1);
    assert.equal(state, "succeeded");
    assert.match(String(log[0]?.response), stored);
    const bytes = Buffer.byteLength(String(log[0]?.response));
    assert.ok(bytes > 1_000 && bytes <= 1_024, `${bytes} bytes`);
    await worker.stop();
  }
});

test("a response over one megabyte is cut off and counts as a failure", async () => {
  const fixture = await createDeliveryFixture();
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
  await fixture.endpoint(shop.url);
  await fixture.happen();
  const worker = fixture.start();
  const { status: state, log } = await fixture.delivery(1);
  assert.equal(state, "pending");
  assert.equal(log[0]?.failure?.code, "body_too_large");
  await until(async () => cut, Boolean);
  await worker.stop();
});

test("a refused connection, a lost one and a non-HTTP server have different failure codes", async () => {
  const closed = createTcpServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  const tcp = createTcpServer((socket) => {
    // The peer does not speak HTTP, so the worker closes the connection, possibly with a reset.
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
    const fixture = await createDeliveryFixture();
    await fixture.endpoint(url);
    await fixture.happen();
    const worker = fixture.start();
    const { status: state, log } = await fixture.delivery(1);
    assert.equal(state, "pending");
    assert.equal(log[0]?.failure?.code, failure);
    await worker.stop();
  }
});

test("if private addresses are forbidden, neither a literal nor a name can reach one", async () => {
  const shop = await receiver(fine);
  for (const url of [shop.url, shop.url.replace("127.0.0.1", "localhost")]) {
    const fixture = await createDeliveryFixture();
    await fixture.endpoint(url);
    await fixture.happen();
    const worker = fixture.start({}, { privateNetworks: [] });
    const { log } = await fixture.delivery(1);
    assert.equal(log[0]?.failure?.code, "address_not_allowed");
    await worker.stop();
  }
  assert.equal(shop.received.length, 0);
});

test("deliveries to a deleted endpoint fail permanently with that reason", async () => {
  const fixture = await createDeliveryFixture();
  await fixture.endpoint("http://127.0.0.1:1/");
  await fixture.happen();
  await database.transaction(
    (tx) => tx`delete from webhook_endpoints where account_id = ${uuidOf(fixture.scope.account)}`,
  );
  const worker = fixture.start();
  const { status: state, log } = await fixture.delivery(1);
  assert.equal(state, "given_up");
  assert.equal(log[0]?.failure?.code, "endpoint_deleted");
  await worker.stop();
});

test("an unreachable endpoint with a long queue does not delay another", async () => {
  const fixture = await createDeliveryFixture();
  const dead = await receiver(() => {});
  await fixture.endpoint(dead.url);
  await fixture.happen(5_000);
  const worker = fixture.start({ deadlineMs: 5_000 });
  while (dead.received.length === 0) await sleep(5);

  const other = await createDeliveryFixture();
  other.clock.time = fixture.clock.time;
  const shop = await receiver(fine);
  await other.endpoint(shop.url);
  await other.happen();
  const startedAt = performance.now();
  worker.wake();
  await other.delivery(1);
  const tookMs = performance.now() - startedAt;
  assert.ok(tookMs < slowed(1_000), `${tookMs} ms`);
  assert.ok(
    dead.received.length <= 8,
    `${dead.received.length} requests in flight to the unreachable endpoint`,
  );
  await database.transaction(
    (tx) => tx`delete from webhook_deliveries where account_id = ${uuidOf(fixture.scope.account)}`,
  );
  await worker.stop();
});

test("a delivery in flight of a killed worker is sent again immediately under the same ID, and its log shows both attempts", async () => {
  const fixture = await createDeliveryFixture();
  let holding = true;
  const shop = await receiver((response) => (holding ? undefined : fine(response)));
  await fixture.endpoint(shop.url);
  await fixture.happen();
  const child: ChildProcess = spawn(
    process.execPath,
    [
      path.join(import.meta.dirname, "../../../test/deliver-in-child.ts"),
      testDatabase.url,
      directory,
    ],
    { stdio: "inherit" },
  );
  while (shop.received.length === 0) await sleep(10);
  child.kill("SIGKILL");
  await once(child, "exit");
  holding = false;
  const [leased] = await fixture.deliveries();
  assert.deepEqual([leased?.status, leased?.attempts, leased?.log], ["pending", 1, []]);

  fixture.clock.time = new Date();
  const { worker, timers } = startFirstTurn(fixture);
  await timers.turn();
  assert.equal(shop.received.length, 1, "the lease still holds");
  const number = Number(leased?.claimed_by);
  await database.transaction((tx) => releaseDeliveriesOf(tx, number, fixture.clock.time));
  await timers.turn();
  const { status: state, attempts, log } = await fixture.delivery(2);
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

test("stop releases claimed deliveries that have not begun", async () => {
  const fixture = await createDeliveryFixture();
  const slow = await receiver((response) => void setTimeout(() => response.end(), 300));
  await fixture.endpoint(slow.url);
  await fixture.happen(8);
  const worker = fixture.start({ maxInFlight: 2 });
  while (slow.received.length < 2) await sleep(5);
  await worker.stop();
  const rows = await fixture.deliveries();
  const started = rows.filter(({ attempts }) => attempts === 1);
  assert.deepEqual([started.length, slow.received.length], [2, 2]);
  assert.ok(started.every(({ status: state }) => state === "succeeded"));
  const others = rows.filter(({ attempts }) => attempts === 0);
  assert.ok(others.every((row) => Number(row.next_attempt_at) === Number(fixture.clock.time)));
  assert.equal(others.length, 6);
  await database.transaction(
    (tx) => tx`delete from webhook_deliveries where account_id = ${uuidOf(fixture.scope.account)}`,
  );
});

test("deliveries begin in the order of their claim, and those of one object are sequential", async () => {
  const fixture = await createDeliveryFixture();
  const bodies: string[] = [];
  let open = 0;
  const shop = await receiver((response) => {
    open++;
    setTimeout(() => {
      assert.equal(open, 1, "two events about one object are in flight");
      open--;
      response.end();
    }, 5);
  });
  await fixture.endpoint(shop.url);
  const object = crypto.randomUUID();
  for (let n = 0; n < 12; n++) {
    await fixture.happen(1, object);
    fixture.advance(1);
  }
  const worker = fixture.start();
  while (shop.received.length < 12) await sleep(5);
  for (const { body } of shop.received) bodies.push(body);
  await worker.stop();
  const events = await database.read<{ body: string }>`
    select e.body from events e where e.account_id = ${uuidOf(fixture.scope.account)} order by e.id`;
  assert.deepEqual(
    bodies,
    events.map(({ body }) => body),
  );
});

test("five consecutive failures open the circuit breaker, and a successful probe closes it", async () => {
  const fixture = await createDeliveryFixture();
  let works = false;
  const shop = await receiver((response) => status(works ? 200 : 500)(response));
  await fixture.endpoint(shop.url);
  await fixture.happen(100);
  const { worker, timers } = startFirstTurn(fixture);
  const backoff = async () => {
    const [row] = await database.read<{ failures: number; backoff_until: Date | null }>`
      select failures, backoff_until from webhook_endpoints
       where account_id = ${uuidOf(fixture.scope.account)}`;
    return row as { failures: number; backoff_until: Date | null };
  };
  await until(backoff, ({ backoff_until }) => backoff_until !== null);
  await fixture.released();
  const before = shop.received.length;
  assert.ok(before < 30, `${before} deliveries were sent to an endpoint that fails`);
  await timers.turn();
  assert.equal(
    shop.received.length,
    before,
    "a delivery was sent while the circuit breaker was open",
  );
  /**
   * Ends the backoff again and again until this many deliveries were sent. The worker records the endpoint's failure
   * after the delivery's failure, so the next backoff can start late.
   */
  const probeUntil = (sent: number) =>
    until(
      async () => {
        const { backoff_until } = await backoff();
        // If a probe was recorded before `backoff_until` was read, the shop has already received it, and this backoff
        // must not be ended.
        if (shop.received.length < sent) {
          fixture.clock.time = backoff_until as Date;
          timers.elapse();
        }
        return shop.received.length;
      },
      (received) => received >= sent,
    );
  for (let probe = 1; probe <= 3; probe++) {
    await probeUntil(before + probe);
    await fixture.released();
    await timers.turn();
    assert.equal(shop.received.length, before + probe, "more than one probe was sent");
  }
  works = true;
  await probeUntil(before + 4);
  const delivered = async () => {
    timers.elapse();
    return (await fixture.deliveries()).filter((one) => one.status === "succeeded").length;
  };
  await until(delivered, (count) => count >= 100 - before - 3);
  assert.deepEqual(await backoff(), { failures: 0, backoff_until: null });
  const waited = (await fixture.deliveries()).filter(({ log }) => log.length === 1);
  assert.ok(waited.length > 60, "deliveries that waited for the circuit breaker used up attempts");
  await worker.stop();
});

test("an endpoint shows its last failed response, with secrets masked, until a success", async () => {
  const fixture = await createDeliveryFixture();
  let works = false;
  const shop = await receiver((response) => {
    if (!works) response.statusCode = 503;
    response.end("the key whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2U= is rejected");
  });
  await fixture.endpoint(shop.url);
  await fixture.happen();
  const { worker, timers } = startFirstTurn(fixture);
  const lastFailure = async () => {
    const [row] = await database.read<{ last_failure: LogEntry | null }>`
      select last_failure from webhook_endpoints
       where account_id = ${uuidOf(fixture.scope.account)}`;
    return row?.last_failure ?? null;
  };
  const failure = await until(lastFailure, (one) => one !== null);
  assert.deepEqual([failure?.status_code, failure?.failure?.code], [503, "status"]);
  assert.match(failure?.response ?? "", /^the key whsec_••• is rejected$/);
  await fixture.released();
  works = true;
  fixture.clock.time = new Date(fixture.clock.time.getTime() + 10_000);
  await timers.turn();
  await until(lastFailure, (one) => one === null);
  await worker.stop();
});

test("a manual resend bypasses the circuit breaker and the queue, with a single request", async () => {
  const fixture = await createDeliveryFixture();
  let works = false;
  const shop = await receiver((response) => status(works ? 200 : 500)(response));
  const id = await fixture.endpoint(shop.url);
  await fixture.happen(100);
  const { worker, timers } = startFirstTurn(fixture);
  const failing = async () => (await readEndpoint(database.read, fixture.scope, id))?.failing;
  await until(failing, (found) => Boolean(found?.backoffUntil));
  await fixture.released();
  const before = shop.received.length;
  const waiting = async () => {
    const page = pageOf({ limit: 100 }, "whd");
    const rows = await listDeliveries(database.read, fixture.scope, { endpointId: id }, page);
    return rows.filter(({ log }) => log.length === 0);
  };
  // Resends the delivery that is due last.
  const requested = (await waiting())[0] as DeliveryRow;
  const request = async () => {
    const now = fixture.clock.time;
    await database.transaction(async (tx) => {
      await resendDelivery(tx, fixture.scope, idFromUuid("whd", requested.id), now);
      await endBackoff(tx, fixture.scope, id, now);
    });
  };
  await request();
  await timers.turn();
  await until(
    async () => shop.received.length,
    (received) => received > before,
  );
  await fixture.released();
  await timers.turn();
  assert.equal(shop.received.length, before + 1, "more than one delivery was sent");
  const event = idFromUuid("evt", requested.event_id);
  assert.equal(shop.received.at(-1)?.headers["webhook-id"], event);
  // The endpoint's failure is recorded after the delivery, and opens the circuit breaker again.
  const isOpen = (found: Awaited<ReturnType<typeof failing>>) =>
    Number(found?.backoffUntil) > Number(fixture.clock.time);
  const backoffUntil = (await until(failing, isOpen))?.backoffUntil as Date;
  const [next] = await waiting();
  assert.deepEqual(next?.next_attempt_at, backoffUntil, "a waiting delivery shows when it is sent");

  works = true;
  await request();
  const left = async () => {
    timers.elapse();
    return (await waiting()).length;
  };
  await until(left, (count) => count === 0);
  assert.equal(shop.received[before + 1]?.headers["webhook-id"], event);
  assert.equal(await failing(), null);
  await worker.stop();
});

test("the last attempt is repeated if its worker dies, and the delivery does not fail", async () => {
  const fixture = await createDeliveryFixture();
  const shop = await receiver(fine);
  await fixture.endpoint(shop.url);
  await fixture.happen();
  await database.transaction(
    (tx) => tx`
      update webhook_deliveries set attempts = 10, claimed_by = 123456
       where account_id = ${uuidOf(fixture.scope.account)}`,
  );
  const worker = fixture.start();
  const { status: state, attempts, log } = await fixture.delivery(2);
  assert.deepEqual([state, attempts, log[0]?.failure?.code], ["succeeded", 10, "worker_lost"]);
  await worker.stop();
});

test("a worker whose delivery was taken over changes nothing", async () => {
  const fixture = await createDeliveryFixture();
  const responses: (() => void)[] = [];
  const shop = await receiver((response) => void responses.push(() => response.end()));
  await fixture.endpoint(shop.url);
  await fixture.happen();
  const slow = fixture.start({ pollMs: 60_000 });
  while (responses.length < 1) await sleep(5);
  const [held] = await fixture.deliveries();
  const number = Number(held?.claimed_by);
  await database.transaction((tx) => releaseDeliveriesOf(tx, number, fixture.clock.time));
  fixture.advance(1_000);
  const other = fixture.start();
  while (responses.length < 2) await sleep(5);
  responses[0]?.();
  await slow.stop();
  assert.equal((await fixture.deliveries())[0]?.status, "pending");
  responses[1]?.();
  const { status: state, attempts, log } = await fixture.delivery(2);
  assert.deepEqual([state, attempts, log[0]?.failure?.code], ["succeeded", 2, "worker_lost"]);
  await other.stop();
});

test("three workers share 10,000 deliveries and send none twice", async () => {
  const fixture = await createDeliveryFixture();
  const seen = new Map<string, number>();
  const shop = await receiver((response, { headers }) => {
    const id = String(headers["webhook-id"]);
    seen.set(id, (seen.get(id) ?? 0) + 1);
    fine(response);
  });
  await fixture.endpoint(shop.url);
  await fixture.happen(10_000);
  const workers = [fixture.start(), fixture.start(), fixture.start()];
  while (seen.size < 10_000) await sleep(20);
  await Promise.all(workers.map((worker) => worker.stop()));
  assert.equal(shop.received.length, 10_000);
  const rows = await fixture.deliveries();
  assert.ok(rows.every(({ status: state, attempts }) => state === "succeeded" && attempts === 1));
});
