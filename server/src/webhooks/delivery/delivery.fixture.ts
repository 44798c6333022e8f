import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabase } from "../../../test/database.ts";
import { slowed } from "../../../test/slowness.ts";
import { createTestTimers } from "../../../test/test-timers.ts";
import { until } from "../../../test/until.ts";
import { newId, uuidOf, type WebhookEndpointId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { systemTimers } from "../../core/timers.ts";
import { createChangeFeed } from "../../platform/changes/change-feed.ts";
import { connectDatabase } from "../../platform/database/database.ts";
import { createLocalKeyProvider } from "../../vault/local-key-provider.ts";
import type { LogEntry } from "./delivery.ts";
import type { DeliveryDeps, DeliverySettings } from "./delivery-deps.ts";
import { startDeliveries } from "./delivery-worker.ts";
import { createResolver } from "./dns-resolver.ts";
import { insertEndpoint } from "./endpoint.sql.ts";
import { privateNetworks } from "./ip-address-rules.ts";
import { newSigningSecret } from "./signature.ts";
import { encryptSigningSecret } from "./signing-keys.ts";

/** A database, merchants, endpoints and workers for tests of deliveries. */
export const testDatabase = await createTestDatabase();
export const database = connectDatabase({
  url: testDatabase.url,
  poolSize: 4,
  onIdleError: () => {},
});
export const directory = await mkdtemp(path.join(tmpdir(), "webhooks-"));
const keys = createLocalKeyProvider(directory);
export const closing: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const close of closing.reverse()) await close();
  await database.close();
  await testDatabase.drop();
  await rm(directory, { recursive: true });
});

/** The number of the last worker. Each worker has the process number of a separate process. */
let lastProcess = 0;

/** Creates a merchant and a clock for one test. The workers of earlier tests have stopped. */
export async function createDeliveryFixture({ livemode = false } = {}) {
  const clock = { time: new Date(), now: () => clock.time };
  const scope: Scope = { account: newId("acct", clock.time), livemode };
  await database.transaction(
    (tx) => tx`insert into accounts (id, name) values (${uuidOf(scope.account)}, 'Shop')`,
  );
  const secret = newSigningSecret();

  return {
    scope,
    clock,
    secret,
    advance(ms: number) {
      clock.time = new Date(clock.time.getTime() + ms);
    },
    async endpoint(url: string): Promise<WebhookEndpointId> {
      const id = newId("we", clock.time);
      const current = await encryptSigningSecret(keys, { scope, id }, secret);
      await database.transaction((tx) =>
        insertEndpoint(tx, {
          scope,
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
    /** Inserts events and deliveries for every endpoint of the merchant, as a finalized charge does. */
    async happen(count = 1, object: string | null = null): Promise<void> {
      await database.transaction(
        (tx) => tx`
          with happened as (
            insert into events (account_id, livemode, id, type, object_id, body)
            select ${uuidOf(scope.account)}, ${livemode}, uuidv7(), 'payment.succeeded', coalesce(${object}::uuid, uuidv7()),
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
    start(settings: Partial<DeliverySettings> = {}, deps: Partial<DeliveryDeps> = {}) {
      const number = ++lastProcess;
      const worker = startDeliveries({
        database,
        changes: createChangeFeed(database),
        clock,
        timers: systemTimers,
        keys,
        random: () => 0.5,
        processNumber: () => number,
        privateNetworks,
        resolveName: createResolver(),
        settings: { pollMs: 20, ...settings },
        log: {
          workFailed: (what, error) => {
            throw new Error(what, { cause: error });
          },
          endpointDisabled: () => {},
        },
        ...deps,
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
         where account_id = ${uuidOf(scope.account)}
         order by id
      `;
    },
    /** Waits until no worker holds a delivery. */
    async released(): Promise<void> {
      await until(
        () => this.deliveries(),
        (rows) => rows.every(({ claimed_by }) => claimed_by === null),
      );
    },
    /** Returns the only delivery, once this many of its attempts are recorded. */
    async delivery(attempts: number, withinMs = 10_000) {
      const giveUpAt = performance.now() + slowed(withinMs);
      while (performance.now() < giveUpAt) {
        const [row] = await this.deliveries();
        if (row && row.log.length === attempts) return row;
        await sleep(10);
      }
      assert.fail(`no record of attempt ${attempts}: ${JSON.stringify(await this.deliveries())}`);
    },
  };
}

export type Received = { headers: IncomingMessage["headers"]; body: string };

/** Starts the HTTP server of a merchant on a free port. */
export async function receiver(
  respond: (response: ServerResponse, request: IncomingMessage) => void,
) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    received.push({ headers: request.headers, body });
    respond(response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=1`, received };
}

export const fine = (response: ServerResponse) => void response.end("thanks");
export const status =
  (code: number, headers = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end();

/** Starts a worker and the first turn of its loop. The test starts each later turn. */
export function startFirstTurn(fixture: Awaited<ReturnType<typeof createDeliveryFixture>>) {
  const timers = createTestTimers();
  const worker = fixture.start({}, { timers });
  timers.elapse();
  return { worker, timers };
}
