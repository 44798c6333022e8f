import { newId, uuidOf, type WebhookEndpointId } from "../../src/core/ids.ts";
import type { Scope } from "../../src/core/scope.ts";
import { connectDatabase, type Database } from "../../src/platform/database/database.ts";
import type { KeyProvider } from "../../src/vault/key-provider.ts";
import { insertEndpoint } from "../../src/webhooks/delivery/endpoint.sql.ts";
import { newSigningSecret } from "../../src/webhooks/delivery/signature.ts";
import { encryptSigningSecret } from "../../src/webhooks/delivery/signing-keys.ts";

/** A merchant with one webhook endpoint. */
export type Merchant = { readonly scope: Scope; readonly endpointId: WebhookEndpointId };

export function connectTestDatabase(url: string): Database {
  return connectDatabase({ url, poolSize: 4, onIdleError: () => undefined });
}

export async function createMerchant(
  database: Database,
  keys: KeyProvider,
  url: string,
): Promise<Merchant> {
  const now = new Date();
  const scope: Scope = { account: newId("acct", now), livemode: false };
  const id = newId("we", now);
  const current = await encryptSigningSecret(keys, { scope, id }, newSigningSecret());
  await database.transaction(async (tx) => {
    await tx`insert into accounts (id, name) values (${uuidOf(scope.account)}, 'Shop')`;
    await insertEndpoint(tx, {
      scope,
      id,
      url,
      enabledEvents: ["*"],
      description: null,
      status: "enabled",
      metadata: {},
      secrets: { current, previous: null },
    });
  });
  return { scope, endpointId: id };
}

/** Inserts `count` events of a merchant, each with a delivery, as a charge does. The body contains the current time. */
export async function insertEvents(
  database: Database,
  { scope, endpointId }: Merchant,
  count: number,
): Promise<void> {
  await database.transaction(
    (tx) => tx`
      with happened as (
        insert into events (account_id, livemode, id, type, object_id, body)
        select ${uuidOf(scope.account)}, ${scope.livemode}, uuidv7(), 'payment.succeeded', uuidv7(),
               jsonb_build_object('happened_at', ${Date.now()}::bigint, 'n', n, 'filler', repeat('x', 1500))::text
          from generate_series(1, ${count}::integer) n
        returning *
      )
      insert into webhook_deliveries (account_id, livemode, id, event_id, endpoint_id, status, next_attempt_at)
      select e.account_id, e.livemode, delivery_id(e.id, ${uuidOf(endpointId)}), e.id, ${uuidOf(endpointId)},
             'pending', created_at(e.id)
        from happened e
    `,
  );
}
