import type { StoreConnectionSecrets } from "@florin/contract/operator-connections.ts";
import { readSeenVersion, storeSecrets } from "../../acquiring/connections/change-connection.ts";
import {
  type Connection,
  requiresTestedSecrets,
  withNewSecrets,
} from "../../acquiring/connections/connection.ts";
import {
  AcquirerSecret,
  type ConnectionSecrets,
  decryptConnectionSecrets,
  encryptConnectionSecrets,
} from "../../acquiring/connections/connection-secrets.ts";
import { connectors } from "../../acquiring/connectors.ts";
import { ApiError } from "../../core/api-error.ts";
import type { ConnectionId } from "../../core/ids.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import { type OperatorRequest, operatorAuditEntry } from "../operator/operator-request.ts";
import type { ConnectionDeps } from "./connection-deps.ts";

const defaultOverlapHours = 24;

/**
 * Stores new secrets of a connection. If charges may refer to the connection, the secrets must pass a test first, so
 * that a mistyped key cannot stop captures and refunds.
 */
export async function storeNewSecrets(
  deps: ConnectionDeps,
  request: OperatorRequest<StoreConnectionSecrets>,
  id: ConnectionId,
): Promise<Connection> {
  const { database, clock, keys } = deps;
  const { body } = request;
  // 1. Read the connection that the operator saw, and complete the secrets.
  const { connection, encrypted } = await readSeenVersion(database.read, id, body.version);
  const stored = encrypted.current && (await decryptConnectionSecrets(keys, id, encrypted.current));
  assertNotificationKey(connection, body);
  const secrets = completed(body, stored);

  // 2. Test the new secrets with no transaction open.
  const mustPass = requiresTestedSecrets(connection);
  if (mustPass) await assertTestPasses(deps, connection, secrets);

  // 3. Store the new secrets, unless the connection was changed in the meantime.
  const ciphertext = await encryptConnectionSecrets(keys, id, secrets);
  const now = clock.now();
  const overlapMs = (body.overlap_hours ?? defaultOverlapHours) * 60 * 60_000;
  const previousUntil = new Date(now.getTime() + overlapMs);
  const after = withNewSecrets(connection, { previousUntil, passedTest: mustPass, now });
  await database.transaction(async (tx) => {
    await storeSecrets(tx, body.version, after, ciphertext);
    const done = {
      account: null,
      action: "connection.secrets_stored",
      object: id,
      before: { state: connection.state, secrets_version: connection.secrets.version },
      // Contains only the names of the secrets, not their values.
      after: {
        state: after.state,
        secrets_version: after.secrets.version,
        replaced: (["api_key", "hmac_key"] as const).filter((name) => body[name] !== undefined),
        previous_until: after.secrets.previousUntil?.toISOString() ?? null,
      },
      reason: body.reason,
    } as const;
    await recordAuditEntry(tx, operatorAuditEntry(request, done), clock);
  });
  await deps.directory.reload();
  return { ...after, version: body.version + 1 };
}

/** Throws if the acquirer cannot have issued the notification key of the request. */
function assertNotificationKey(
  { processor }: Connection,
  { hmac_key }: StoreConnectionSecrets,
): void {
  const problem =
    hmac_key === undefined ? null : connectors[processor].rejectNotificationKey(hmac_key);
  if (problem === null) return;
  const message = `\`hmac_key\` is not a key of this acquirer. ${problem}`;
  throw new ApiError("parameter_invalid", message, { param: "hmac_key" });
}

/** Returns the new secrets. Fills in the stored secret where the request omits one. */
function completed(
  { api_key, hmac_key }: StoreConnectionSecrets,
  stored: ConnectionSecrets | null,
): ConnectionSecrets {
  if (api_key === undefined && hmac_key === undefined) {
    throw missing("api_key", "Send `api_key`, `hmac_key` or both.");
  }
  const apiKey = api_key === undefined ? stored?.apiKey : new AcquirerSecret(api_key);
  const hmacKey = hmac_key === undefined ? stored?.hmacKey : new AcquirerSecret(hmac_key);
  const both = "The first secrets of a connection require both `api_key` and `hmac_key`.";
  if (!apiKey) throw missing("api_key", both);
  if (!hmacKey) throw missing("hmac_key", both);
  return { apiKey, hmacKey };
}

function missing(param: string, fix: string): ApiError {
  return new ApiError("parameter_missing", `\`${param}\` is missing. ${fix}`, { param });
}

async function assertTestPasses(
  deps: ConnectionDeps,
  connection: Connection,
  secrets: ConnectionSecrets,
): Promise<void> {
  const result = await deps.testConnection(connection, secrets);
  if (result.kind === "passed") return;
  throw new ApiError(
    "connection_test_failed",
    `The new secrets did not pass the connection test, so Florin did not store them. ${result.problem} Correct the secrets, then send them again.`,
  );
}
