import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type AcquirerClient, createAcquirerClient } from "../../acquiring/acquirer-client.ts";
import { type CertificationCheck, isCertified } from "../../acquiring/certification.ts";
import { readConnection, updateConnection } from "../../acquiring/connections/connection.sql.ts";
import { type Connection, rejectCertification } from "../../acquiring/connections/connection.ts";
import {
  type ConnectionSecrets,
  decryptConnectionSecrets,
} from "../../acquiring/connections/connection-secrets.ts";
import type { AcquirerOrigins } from "../../acquiring/connector.ts";
import { connectors } from "../../acquiring/connectors.ts";
import { createConnectionTest } from "../../acquiring/live-acquirers.ts";
import type { Clock } from "../../core/clock.ts";
import { type ConnectionId, newId } from "../../core/ids.ts";
import type { Timers } from "../../core/timers.ts";
import {
  ignoreNotifications,
  readItemsAbout,
} from "../../payments/notifications/acquirer-notification.sql.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Database } from "../../platform/database/database.ts";
import type { KeyProvider } from "../../vault/key-provider.ts";

export type CertifyDeps = {
  readonly database: Database;
  readonly keys: KeyProvider;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly origins: AcquirerOrigins;
  readonly returnUrl: string;
};

export type CertifyOptions = {
  /** The time to wait for notifications after the last request. */
  readonly waitMs: number;
  readonly onCheck: (check: CertificationCheck) => void;
};

export type CertificationResult =
  /** No check was run. `why` is the reason, which is shown to the operator. */
  | { readonly kind: "rejected"; readonly why: string }
  | {
      readonly kind: "completed";
      readonly connection: Connection;
      readonly checks: readonly CertificationCheck[];
      /**
       * The time of the certification. Null if a check did not pass, or if the connection changed during the checks.
       */
      readonly certifiedAt: Date | null;
    };

/**
 * Runs the checks of a connector against the acquirer's sandbox. Certifies the connection if every check passes or is
 * skipped. The test payments belong to no account, and the service stores only their notifications.
 */
export async function certifyConnection(
  deps: CertifyDeps,
  id: ConnectionId,
  { waitMs, onCheck }: CertifyOptions,
): Promise<CertificationResult> {
  const { database, keys, clock } = deps;
  const stored = await readConnection(database.read, id);
  if (!stored) return { kind: "rejected", why: `The connection ${id} does not exist.` };
  const { connection, encrypted } = stored;
  const why = rejectCertification(connection);
  if (why !== null) return { kind: "rejected", why };
  assert(encrypted.current, "Every connection that can be certified has secrets.");
  const secrets = await decryptConnectionSecrets(keys, id, encrypted.current);
  const { processor, assignment, close } = createSandboxProcessor(deps, connection, secrets);
  const references = new Set<string>();
  const checks = await connectors[connection.processor].certify({
    processor,
    assignment,
    gatewayWallets: connectors[connection.processor].gateway.walletsOf(connection),
    testConnection: () => createConnectionTest(deps)(connection, secrets),
    readItems: (wanted) => {
      for (const reference of wanted) references.add(reference);
      return readItemsAbout(database.read, { connection: id, references: wanted });
    },
    clock,
    waitMs,
    returnUrl: deps.returnUrl,
    onCheck,
  });
  await close();
  const about = { connection: id, references: [...references] };
  await database.transaction((tx) => ignoreNotifications(tx, about));
  const certifiedAt = isCertified(checks)
    ? await recordCertification(deps, connection, checks)
    : null;
  return { kind: "completed", connection, checks, certifiedAt };
}

/** The merchant category code of the test payments: miscellaneous retail. */
const testMcc = "5999";

/**
 * Returns a processor with the connection's own merchant account. The processor's assignment names an account that does
 * not exist.
 */
function createSandboxProcessor(
  { clock, timers, random, origins, returnUrl }: CertifyDeps,
  connection: Connection,
  secrets: ConnectionSecrets,
) {
  const now = clock.now();
  const assignment = {
    id: newId("asg", now),
    account: newId("acct", now),
    connection: connection.id,
    merchantAccount: connection.settings.merchantAccount,
    mcc: testMcc,
    descriptor: null,
    acquirerBin: null,
    currencies: null,
    networks: null,
    countries: null,
    priority: 0,
    state: "active",
    version: 1,
  } as const;
  const clients: AcquirerClient[] = [];
  const processor = connectors[connection.processor].createProcessor({
    connection,
    assignment,
    secrets,
    // Each run uses new references. Its idempotency keys are therefore never needed again, and can be derived from a
    // random key.
    idempotencySecret: randomBytes(32),
    clientOf(origin) {
      const client = createAcquirerClient({ origin, timers });
      clients.push(client);
      return client;
    },
    origin: origins[connection.processor],
    clock,
    random,
    defaultReturnUrl: returnUrl,
    onLateOutcome: () => {},
  });
  const close = () => Promise.all(clients.map((client) => client.close()));
  return { processor, assignment, close };
}

/** The maximum number of attempts to store the certification if the connection changes concurrently. */
const maxAttempts = 3;

/**
 * Stores the certification and returns its time. Returns null if the secrets or the merchant account changed during the
 * checks, because the checks then prove nothing about the current values.
 */
export async function recordCertification(
  { database, clock }: Pick<CertifyDeps, "database" | "clock">,
  {
    id,
    processor,
    secrets,
    settings,
  }: Pick<Connection, "id" | "processor" | "secrets" | "settings">,
  checks: readonly CertificationCheck[],
): Promise<Date | null> {
  const certifiedAt = clock.now();
  const passed = checks.filter(({ status }) => status === "passed");
  const connector = connectors[processor].version;
  const certification = { certifiedAt, connector, checks: passed.length };
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const result = await database.transaction(async (tx) => {
      const { connection } = (await readConnection(tx, id)) ?? {};
      const isSame =
        connection?.secrets.version === secrets.version &&
        connection.settings.merchantAccount === settings.merchantAccount;
      if (!isSame || connection.state === "retired") return "changed";
      const certified = { ...connection, certification };
      if (!(await updateConnection(tx, connection.version, certified))) return "retry";
      const entry = {
        account: null,
        livemode: null,
        actor: { kind: "service" },
        action: "connection.certified",
        object: id,
        after: { connector, checks: passed.map(({ name }) => name) },
        reason: "Requested on the command line",
      } as const;
      await recordAuditEntry(tx, entry, clock);
      return "recorded";
    });
    if (result === "recorded") return certifiedAt;
    if (result === "changed") return null;
  }
  return null;
}
