import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Role } from "@florin/contract/roles.ts";
import { createTestTimers } from "../../../test/test-timers.ts";
import { until } from "../../../test/until.ts";
import { systemClock } from "../../core/clock.ts";
import {
  type AccountId,
  idFromUuid,
  newId,
  uuidOf,
  type WebhookEndpointId,
} from "../../core/ids.ts";
import { insertMember } from "../../identity/accounts/member.sql.ts";
import { insertPerson } from "../../identity/people/person.sql.ts";
import { fragment } from "../../platform/database/sql.ts";
import { readWaitingMails } from "../../platform/mail/mail.sql.ts";
import { renderEvent } from "../events/event.ts";
import { outbox } from "../events/outbox.sql.ts";
import {
  closing,
  createDeliveryFixture,
  database,
  fine,
  receiver,
  startFirstTurn,
  status,
} from "./delivery.fixture.ts";
import type { LogEntry } from "./delivery.ts";
import { writeFailure } from "./endpoint.sql.ts";

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

test("five days of failures disable an endpoint, unless one delivery succeeds or nothing was sent on most days", async () => {
  const day = 24 * 60 * 60 * 1000;
  const daily = [day, day, day, day, day];
  for (const [waits, recovers, expected] of [
    [daily, false, "disabled"],
    [daily, true, "enabled"],
    // The service was stopped for a month, or an old backup was restored.
    [[30 * day], false, "enabled"],
    [[30 * day, day, day, day], false, "disabled"],
    [[30 * day, day, day], false, "enabled"],
  ] as const) {
    const fixture = await createDeliveryFixture();
    let responses = 0;
    const shop = await receiver((response) =>
      status(responses++ === 1 && recovers ? 200 : 500)(response),
    );
    await fixture.endpoint(shop.url);
    // Deletes the pending deliveries of earlier tests. They would come due as well, and their receivers do not respond.
    await database.transaction((tx) => tx`delete from webhook_deliveries`);
    const worker = fixture.start();
    for (const [time, wait] of [0, ...waits].entries()) {
      fixture.advance(wait);
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
    }
    await worker.stop();
    const [row] = await database.read<{ status: string }>`
      select status from webhook_endpoints where account_id = ${uuidOf(fixture.scope.account)}`;
    assert.equal(row?.status, expected, JSON.stringify({ waits, recovers }));
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

test("a response in thousands of chunks is cut off and counts as a failure", async () => {
  const fixture = await createDeliveryFixture();
  const shop = await receiver((response) => {
    // Node would combine the writes of one turn of the event loop into one chunk.
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    response.socket?.write(`${head}${"1\r\nx\r\n".repeat(5_000)}0\r\n\r\n`);
  });
  await fixture.endpoint(shop.url);
  await fixture.happen();
  const worker = fixture.start();
  const { log } = await fixture.delivery(1);
  assert.equal(log[0]?.failure?.code, "body_too_large");
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

test("an endpoint whose signing secret cannot be decrypted delays no other endpoint, and none of its attempts is counted", async () => {
  const fixture = await createDeliveryFixture();
  const broken = await receiver(fine);
  const shop = await receiver(fine);
  const id = await fixture.endpoint(broken.url);
  await fixture.endpoint(shop.url);
  const restoreSecret = await damageSecret(fixture.scope.account, id);
  await fixture.happen(2);
  const failures: string[] = [];
  const log = {
    workFailed: (what: string) => void failures.push(what),
    endpointDisabled: () => {},
  };
  const worker = fixture.start({}, { log });
  await until(
    async () => shop.received.length,
    (received) => received === 2,
  );
  await untilUncounted(fixture, 2);
  assert.deepEqual(
    [broken.received.length, new Set(failures)],
    [0, new Set(["webhook signing secret"])],
  );

  await restoreSecret();
  fixture.advance(60_000);
  await until(
    async () => broken.received.length,
    (received) => received === 2,
  );
  await worker.stop();
});

test("a delivery that is passed on directly is released if the signing secret cannot be decrypted", async () => {
  const fixture = await createDeliveryFixture();
  const { scope, clock } = fixture;
  const shop = await receiver(fine);
  const endpointId = await fixture.endpoint(shop.url);
  const restoreSecret = await damageSecret(scope.account, endpointId);
  const failures: string[] = [];
  const log = {
    workFailed: (what: string) => void failures.push(what),
    endpointDisabled: () => {},
  };
  // The worker claims nothing before its first turn, so that only the direct path takes the delivery.
  const timers = createTestTimers();
  const worker = fixture.start({}, { log, timers });
  const lease = worker.lease();
  assert.ok(lease);
  const event = renderEvent({
    id: newId("evt", clock.time),
    type: "payment.succeeded",
    scope,
    cause: null,
    objectId: newId("ch", clock.time),
    object: "{}",
  });
  const [row] = await database.transaction((tx) => {
    const values = fragment`
      values (${uuidOf(scope.account)}, ${scope.livemode}, ${uuidOf(event.id)}, ${event.type},
              ${uuidOf(event.objectId)}, ${event.body})`;
    return tx<{ id: string }>`with ${outbox(values, lease)} select id from queued`;
  });
  const id = idFromUuid("whd", row?.id as string);
  worker.take(scope, [{ id, endpointId, event, leasedUntil: lease.until }], true);
  await untilUncounted(fixture, 1);
  assert.deepEqual(failures, ["webhook signing secret"]);

  await restoreSecret();
  fixture.advance(60_000);
  timers.elapse();
  await until(
    async () => shop.received.length,
    (received) => received === 1,
  );
  await worker.stop();
});

test("a day with failures counts once, even if an attempt of the day before ends later", async () => {
  const fixture = await createDeliveryFixture();
  const id = await fixture.endpoint("https://shop.test/hooks");
  const midnight = 86_400 * 20_000;
  const days: (number | undefined)[] = [];
  for (const at of [midnight - 20, midnight + 2, midnight - 10, midnight + 5]) {
    const attempt = { at, duration_ms: 1, status_code: 500, failure: null, response: null };
    const failing = await database.transaction((tx) =>
      writeFailure(tx, fixture.scope, id, attempt, new Date(at * 1000), [null]),
    );
    days.push(failing?.days);
  }
  assert.deepEqual(days, [1, 2, 2, 2]);
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

async function joinTeam(account: AccountId, role: Role, email: string): Promise<void> {
  const now = systemClock.now();
  const person = newId("per", now);
  await database.transaction(async (tx) => {
    const attributes = { name: role, passwordHash: "none", operator: false };
    await insertPerson(tx, { id: person, email, ...attributes });
    await insertMember(tx, { id: newId("mem", now), account, person, role });
  });
}

/** Waits until this many deliveries are pending, and all of them are released and have no counted attempt. */
async function untilUncounted(
  { deliveries }: Pick<Awaited<ReturnType<typeof createDeliveryFixture>>, "deliveries">,
  count: number,
): Promise<void> {
  await until(
    async () => (await deliveries()).filter(({ status }) => status === "pending"),
    (rows) =>
      rows.length === count &&
      rows.every((row) => row.attempts === 0 && row.claimed_by === null && row.log.length === 0),
  );
}

/** Damages the encrypted signing secret of an endpoint. Returns a function that restores it. */
async function damageSecret(account: AccountId, id: WebhookEndpointId) {
  const [stored] = await database.read<{ secret: Buffer }>`
    select secret from webhook_endpoints where account_id = ${uuidOf(account)} and id = ${uuidOf(id)}`;
  assert.ok(stored);
  const { secret } = stored;
  const setSecret = (to: Buffer) =>
    database.autocommit(
      (tx) => tx`
        update webhook_endpoints set secret = ${to}
         where account_id = ${uuidOf(account)} and id = ${uuidOf(id)}`,
    );
  const last = secret.at(-1) as number;
  await setSecret(Buffer.concat([secret.subarray(0, -1), Buffer.of(last ^ 1)]));
  return () => setSecret(secret);
}
