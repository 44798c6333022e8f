import { maxListEntries } from "@florin/contract/list-entry.ts";
import { maxRules } from "@florin/contract/rule.ts";
import { maxWebhookEndpoints } from "@florin/contract/webhook-endpoint.ts";
import { ApiError } from "../../core/api-error.ts";
import { newId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { lockAccount } from "../../identity/accounts/account.sql.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import { pageOf } from "../../platform/http/list.ts";
import { countListEntries, readWholeLists } from "../../risk/list-entry.sql.ts";
import {
  countRules,
  insertRule,
  listRules,
  sumRuleCosts,
  updateRule,
} from "../../risk/rule.sql.ts";
import { maxTotalRuleCost } from "../../risk/rule-expression.ts";
import { incrementRevision } from "../../risk/rule-set.sql.ts";
import type { KeyProvider } from "../../vault/key-provider.ts";
import {
  countEndpoints,
  insertEndpoint,
  listEndpoints,
  updateEndpoint,
} from "../../webhooks/delivery/endpoint.sql.ts";
import type { WebhookEndpoint } from "../../webhooks/delivery/endpoint.ts";
import { parseEndpointUrl } from "../../webhooks/delivery/endpoint-url.ts";
import { addressRules } from "../../webhooks/delivery/ip-address-rules.ts";
import { newSigningSecret } from "../../webhooks/delivery/signature.ts";
import { encryptSigningSecret } from "../../webhooks/delivery/signing-keys.ts";
import { type Compared, compareSettings, type Settings } from "./compare-settings.ts";
import { copyListEntries } from "./settings-copy.sql.ts";

const maxSettings = 1_000;

/** Compares the current settings of test mode and live mode. */
export async function readComparison(
  read: Sql,
  { account }: Pick<Scope, "account">,
  now: Date,
): Promise<Compared[]> {
  const test = await readSettings(read, { account, livemode: false }, now);
  const live = await readSettings(read, { account, livemode: true }, now);
  return compareSettings(test, live, whyNotLive);
}

async function readSettings(read: Sql, scope: Scope, now: Date): Promise<Settings> {
  return {
    endpoints: await listEndpoints(read, scope, {}, pageOf({ limit: maxSettings }, "we")),
    rules: await listRules(read, scope, undefined, pageOf({ limit: maxSettings }, "rule")),
    entries: await readWholeLists(read, scope, now),
  };
}

/**
 * Returns the reason why live mode does not allow this URL, or null if the URL is allowed. Private networks are never
 * allowed in live mode.
 */
function whyNotLive(url: string): string | null {
  try {
    parseEndpointUrl(url, true, addressRules([])({ livemode: true }));
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

/** Creates new signing secrets, so that live mode never signs with a secret of test mode. */
export async function encryptLiveSecrets(
  keys: KeyProvider,
  { account }: Pick<Scope, "account">,
  count: number,
  now: Date,
): Promise<Pick<WebhookEndpoint, "id" | "secrets">[]> {
  const scope = { account, livemode: true };
  return Promise.all(
    Array.from({ length: count }, async () => {
      const id = newId("we", now);
      const current = await encryptSigningSecret(keys, { scope, id }, newSigningSecret());
      return { id, secrets: { current, previous: null } };
    }),
  );
}

/** Copies the chosen settings to live mode. */
export async function applyComparison(
  tx: Tx,
  { account }: Pick<Scope, "account">,
  chosen: readonly Compared[],
  newEndpoints: Pick<WebhookEndpoint, "id" | "secrets">[],
  now: Date,
): Promise<void> {
  const scope: Scope = { account, livemode: true };
  const unused = [...newEndpoints];
  for (const one of chosen) {
    switch (one.kind) {
      case "webhook_endpoint": {
        const { url, enabledEvents, description, status, metadata } = one.test;
        const values = { scope, url, enabledEvents, description, status, metadata };
        if (one.live) await updateEndpoint(tx, { ...one.live, ...values });
        else await insertEndpoint(tx, { ...values, ...(unused.pop() as (typeof newEndpoints)[0]) });
        break;
      }
      case "rule":
        if (one.live) {
          const { status, description, metadata } = one.test;
          await updateRule(tx, { ...one.live, status, description, metadata });
        } else {
          await insertRule(tx, { ...one.test, scope, id: newId("rule", now) });
        }
        break;
      case "list":
        await copyListEntries(
          tx,
          account,
          one.missing.map(({ id }) => ({ of: id, id: newId("lst", now) })),
        );
        break;
    }
  }
  await rejectTooMuch(tx, scope);
}

/** Locks the settings of live mode, so that no concurrent request adds to them during the copy. */
export async function lockLiveSettings(tx: Tx, { account }: Pick<Scope, "account">): Promise<void> {
  await incrementRevision(tx, { account, livemode: true });
  // A request that creates a webhook endpoint holds the same lock while it counts the endpoints.
  await lockAccount(tx, account);
}

async function rejectTooMuch(tx: Tx, scope: Scope): Promise<void> {
  const endpoints = await countEndpoints(tx, scope);
  if (endpoints > maxWebhookEndpoints) {
    throw new ApiError(
      "parameter_invalid",
      `\`keys\` contains too many webhook endpoints. Live mode would have ${endpoints}. The maximum is ${maxWebhookEndpoints}. Remove webhook endpoints from \`keys\`.`,
      { param: "keys" },
    );
  }
  const rules = await countRules(tx, scope);
  const entries = await countListEntries(tx, scope);
  if ((await sumRuleCosts(tx, scope)) > maxTotalRuleCost) {
    throw new ApiError(
      "parameter_invalid",
      "`keys` contains too many rules. Together, the enabled rules of live mode would exceed the time limit for a payment. Remove rules from `keys`.",
      { param: "keys" },
    );
  }
  if (rules <= maxRules && entries <= maxListEntries) return;
  throw new ApiError(
    "parameter_invalid",
    `\`keys\` contains too many rules or lists. Live mode would have ${rules} rules and ${entries} list entries. The maximum is ${maxRules} rules and ${maxListEntries} list entries. Remove rules or lists from \`keys\`.`,
    { param: "keys" },
  );
}
