import { CopySettings, SettingsComparison } from "@florin/contract/settings-copy.ts";
import { ApiError } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { assertStillPermitted } from "../../identity/accounts/assert-still-permitted.ts";
import { auditEntryOf } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Database } from "../../platform/database/database.ts";
import { type ApiRequest, ok, type Route, route } from "../../platform/http/route.ts";
import type { IdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import type { RuleSets } from "../../risk/rule-set.ts";
import type { KeyProvider } from "../../vault/key-provider.ts";
import type { Compared } from "./compare-settings.ts";
import {
  applyComparison,
  encryptLiveSecrets,
  lockLiveSettings,
  readComparison,
} from "./copy-settings.ts";

export type SettingsCopyDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly keys: KeyProvider;
  readonly ruleSets: RuleSets;
};

/** Serves the endpoints that compare the settings of test mode and live mode, and copy chosen settings to live mode. */
export function settingsCopyRoutes(deps: SettingsCopyDeps): Route[] {
  const { database, clock, idempotencyKeys, keys, ruleSets } = deps;
  return [
    route({
      method: "GET",
      path: "/settings_copy",
      summary: "Compare the settings of test mode with those of live mode",
      permission: "settings:copy",
      response: SettingsComparison,
      status: 200,
      async handle({ scope }) {
        rejectTestMode(scope);
        return ok(comparisonObject(await readComparison(database.read, scope, clock.now())));
      },
    }),
    route({
      method: "POST",
      path: "/settings_copy",
      summary: "Copy settings of test mode to live mode",
      permission: "settings:copy",
      stepUp: true,
      body: CopySettings,
      response: SettingsComparison,
      status: 200,
      handle: (request) => copy(request),
    }),
  ];

  async function copy(request: ApiRequest<CopySettings>) {
    const { scope, body, idempotency } = request;
    rejectTestMode(scope);
    const now = clock.now();
    const newSecrets = await encryptLiveSecrets(keys, scope, endpointsIn(body), now);
    const response = await idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
      await assertStillPermitted(tx, request, "settings:copy");
      await lockLiveSettings(tx, scope);
      const chosen = choose(await readComparison(tx, scope, now), body.keys);
      await applyComparison(tx, scope, chosen, newSecrets, now);
      const copied = chosen.map(({ shown }) => shown);
      const entry = auditEntryOf(request, {
        action: "settings.copied",
        object: scope.account,
        after: { copied: copied.map(({ kind, title, change }) => ({ kind, title, change })) },
      });
      await recordAuditEntry(tx, entry, clock);
      return ok(comparisonObject(await readComparison(tx, scope, now)));
    });
    ruleSets.invalidate(scope);
    return response;
  }
}

/**
 * Returns the maximum number of new endpoints that the request can create. The exact number is not known when their
 * secrets are encrypted, which happens before the transaction because the key provider may be remote.
 */
function endpointsIn({ keys }: CopySettings): number {
  return keys.filter((key) => key.startsWith("we_")).length;
}

function choose(compared: readonly Compared[], keys: readonly string[]): Compared[] {
  return keys.map((key) => {
    const found = compared.find(({ shown }) => shown.key === key);
    if (found && found.shown.change !== "impossible") return found;
    throw new ApiError(
      "parameter_invalid",
      found
        ? `The setting '${found.shown.title}' cannot be copied to live mode: ${found.shown.reason}`
        : `\`keys\` contains '${key}', which is not a test mode setting. Send \`key\` values from \`GET /settings_copy\`.`,
      { param: "keys" },
    );
  });
}

function rejectTestMode({ livemode }: { livemode: boolean }): void {
  if (livemode) return;
  throw new ApiError(
    "livemode_mismatch",
    "This request must be sent in live mode, to which the settings are copied. Send the header `Florin-Mode: live`.",
  );
}

function comparisonObject(compared: readonly Compared[]): SettingsComparison {
  return {
    object: "settings_comparison",
    livemode: true,
    settings: compared.map(({ shown }) => shown),
  };
}
