import type { StoreConnectionSecrets } from "@florin/contract/operator-connections.ts";
import { readSeenVersion } from "../../acquiring/connections/change-connection.ts";
import { type Connection, requiresTestedSecrets } from "../../acquiring/connections/connection.ts";
import {
  AcquirerSecret,
  type ConnectionSecrets,
  decryptConnectionSecrets,
  encryptConnectionSecrets,
} from "../../acquiring/connections/connection-secrets.ts";
import { connectors } from "../../acquiring/connectors.ts";
import { ApiError } from "../../core/api-error.ts";
import type { ConnectionId } from "../../core/ids.ts";
import type { OperatorRequest } from "../operator/operator-request.ts";
import type { Proposal } from "../operator/proposal.sql.ts";
import { performOrPropose } from "../operator/propose-action.ts";
import type { ConnectionDeps } from "./connection-deps.ts";

const defaultOverlapHours = 24;

/**
 * Stores new secrets of a connection. If charges may refer to the connection, the secrets must pass a test first, so
 * that a mistyped key cannot stop captures and refunds. Returns null, or the proposal if a second operator must confirm
 * the change.
 */
export async function storeNewSecrets(
  deps: ConnectionDeps,
  request: OperatorRequest<StoreConnectionSecrets>,
  id: ConnectionId,
): Promise<Proposal | null> {
  const { database, clock, keys } = deps;
  const { body } = request;
  // 1. Read the connection that the operator saw, and complete the secrets.
  const { connection, encrypted } = await readSeenVersion(database.read, id, body.version);
  const stored = encrypted.current && (await decryptConnectionSecrets(keys, id, encrypted.current));
  assertNotificationKey(connection, body);
  const secrets = completed(body, stored);

  // 2. Test the new secrets with no transaction open.
  const isInUse = requiresTestedSecrets(connection);
  if (isInUse) await assertTestPasses(deps, connection, secrets);

  // 3. Store or propose the new secrets, unless the connection was changed in the meantime.
  const action = {
    kind: "replace_secrets",
    connection: id,
    version: body.version,
    replaced: (["api_key", "hmac_key"] as const).filter((name) => body[name] !== undefined),
    overlapHours: body.overlap_hours ?? defaultOverlapHours,
    testedAt: isInUse ? clock.now().toISOString() : null,
  } as const;
  const ciphertext = await encryptConnectionSecrets(keys, id, secrets);
  // A person who has the HMAC key can sign notifications, and so report payments that the acquirer never received. A
  // new API key needs no second operator, because the test above has shown that it belongs to the same account at the
  // acquirer.
  const isNewHmacKey = !stored?.hmacKey.equals(secrets.hmacKey);
  const fourEyes = deps.fourEyes && isInUse && isNewHmacKey;
  return performOrPropose({ ...deps, fourEyes }, request, action, body.reason, ciphertext);
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
