import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "@florin/server/core/clock.ts";
import { newId, uuidOf } from "@florin/server/core/ids.ts";
import { systemTimers } from "@florin/server/core/timers.ts";
import { createChangeFeed } from "@florin/server/platform/changes/change-feed.ts";
import { connectDatabase } from "@florin/server/platform/database/database.ts";
import { createLocalKeyProvider } from "@florin/server/vault/local-key-provider.ts";
import {
  type Deliveries,
  startDeliveries,
} from "@florin/server/webhooks/delivery/delivery-worker.ts";
import { createResolver } from "@florin/server/webhooks/delivery/dns-resolver.ts";
import { insertEndpoint } from "@florin/server/webhooks/delivery/endpoint.sql.ts";
import { privateNetworks } from "@florin/server/webhooks/delivery/ip-address-rules.ts";
import { newSigningSecret } from "@florin/server/webhooks/delivery/signature.ts";
import { encryptSigningSecret } from "@florin/server/webhooks/delivery/signing-keys.ts";
import { settingsOfThisProcess } from "./child.ts";
import { serveQueue } from "./queue.ts";

/** One delivery worker, which signs webhooks and sends them to a receiver in another process. */
const settings = settingsOfThisProcess<{
  databaseUrl: string;
  directory: string;
  receiverUrl: string;
  jobs: number;
}>();

const endpoints = 10;
const database = connectDatabase({
  url: settings.databaseUrl,
  poolSize: 4,
  onIdleError: console.error,
});
const changes = createChangeFeed(database);
const keys = createLocalKeyProvider(settings.directory);
for (let n = 0; n < endpoints; n++) await createMerchant();
let deliveries: Deliveries | null = null;

serveQueue({
  async fill() {
    await database.transaction(
      (tx) => tx`
        with inserted as (
          insert into events (account_id, livemode, id, type, object_id, body)
          select w.account_id, w.livemode, uuidv7(), 'payment.succeeded', uuidv7(),
                 jsonb_build_object('n', n, 'object', repeat('x', 1200))::text
            from webhook_endpoints w, generate_series(1, ${settings.jobs / endpoints}::integer) n
          returning *
        )
        insert into webhook_deliveries (account_id, livemode, id, event_id, endpoint_id, status, next_attempt_at)
        select e.account_id, e.livemode, delivery_id(e.id, w.id), e.id, w.id, 'pending', created_at(e.id)
          from inserted e
          join webhook_endpoints w on w.account_id = e.account_id and w.livemode = e.livemode
      `,
    );
    return settings.jobs;
  },
  async empty() {
    const worker = startDeliveries({
      database,
      changes,
      clock: systemClock,
      timers: systemTimers,
      random: Math.random,
      processNumber: () => 1,
      keys,
      privateNetworks,
      resolveName: createResolver(),
      log: { workFailed: console.error, endpointDisabled: console.error },
    });
    deliveries = worker;
    while ((await pending()) > 0) await sleep(20);
    await worker.stop();
  },
  async close() {
    await deliveries?.stop();
    await database.close();
  },
});

async function pending(): Promise<number> {
  const rows = await database.read`select from webhook_deliveries where status = 'pending' limit 1`;
  return rows.length;
}

async function createMerchant(): Promise<void> {
  const now = systemClock.now();
  const scope = { account: newId("acct", now), livemode: false };
  const id = newId("we", now);
  const current = await encryptSigningSecret(keys, { scope, id }, newSigningSecret());
  await database.transaction(async (tx) => {
    await tx`insert into accounts (id, name) values (${uuidOf(scope.account)}, 'Shop')`;
    await insertEndpoint(tx, {
      scope,
      id,
      url: settings.receiverUrl,
      enabledEvents: ["*"],
      description: null,
      status: "enabled",
      metadata: {},
      secrets: { current, previous: null },
    });
  });
}
