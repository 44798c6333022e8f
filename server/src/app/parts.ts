import {
  createPaymentMethods,
  type PaymentMethods,
} from "../cards/payment-methods/payment-methods.ts";
import type { Clock } from "../core/clock.ts";
import { systemTimers } from "../core/timers.ts";
import { type Accounts, createAccountCache } from "../identity/accounts/account-cache.ts";
import {
  type Authenticate,
  createKeyAuthentication,
} from "../identity/api-keys/authenticate-key.ts";
import { createKeyUses, type KeyUses } from "../identity/api-keys/key-use.ts";
import { createRequestLog, type RequestLog } from "../insights/request-log/collect-requests.ts";
import { type BatchedReads, connectBatchedReads } from "../payments/charges/batched-reads.ts";
import { type BatchedCommits, connectBatchedCommits } from "../payments/commit/batched-commits.ts";
import { releaseClaimsOf } from "../payments/commit/due-work.sql.ts";
import {
  type BatchedNotifications,
  connectBatchedNotifications,
} from "../payments/notifications/batched-notifications.ts";
import { type ChangeFeed, createChangeFeed } from "../platform/changes/change-feed.ts";
import { connectDatabase, type Database } from "../platform/database/database.ts";
import {
  createIdempotencyKeys,
  type IdempotencyKeys,
} from "../platform/idempotency/idempotency.ts";
import type { Background } from "../platform/jobs/loop.ts";
import { acquireProcessNumber, type ProcessNumber } from "../platform/jobs/process-number.ts";
import { alone } from "../platform/processes/siblings.ts";
import { createRiskServices, type RiskServices } from "../risk/risk-services.ts";
import { checkKeys } from "../vault/key-checks.ts";
import type { KeyProvider } from "../vault/key-provider.ts";
import { createVault, type Vault } from "../vault/vault.ts";
import { createWallets, type Wallets } from "../vault/wallets/wallets.ts";
import { releaseDeliveriesOf } from "../webhooks/delivery/delivery.sql.ts";
import {
  type DeliveryDeps,
  deliverySettingsOf,
  mayDeliver,
} from "../webhooks/delivery/delivery-deps.ts";
import { type Deliveries, startDeliveries } from "../webhooks/delivery/delivery-worker.ts";
import { createResolver } from "../webhooks/delivery/dns-resolver.ts";
import { requestIn } from "../webhooks/events/event.ts";
import { type Acquiring, createAcquiring } from "./acquiring.ts";
import { connectAuditLog } from "./connect-audit-log.ts";
import { type Connections, createConnections } from "./connections.ts";
import { type LogLines, logLines } from "./log-lines.ts";
import type { AppOptions } from "./options.ts";
import { createSecrets, type Secrets } from "./secrets.ts";

/** The singletons of a process: every part with state, a connection or a key that several modules share. */
export type Parts = {
  readonly clock: Clock;
  readonly background: Background;
  readonly keys: KeyProvider;
  readonly log: LogLines;
  readonly database: Database;
  readonly changes: ChangeFeed;
  readonly process: ProcessNumber;
  readonly secrets: Secrets;
  readonly accounts: Accounts;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly keyUses: KeyUses;
  readonly authenticate: Authenticate;
  readonly requestLog: RequestLog;
  readonly vault: Vault;
  readonly wallets: Wallets;
  readonly paymentMethods: PaymentMethods;
  readonly acquiring: Acquiring;
  readonly connections: Connections;
  readonly riskServices: RiskServices;
  readonly deliveries: Deliveries;
  /** The group-committed writes of the payment path. */
  readonly commits: BatchedCommits;
  readonly reads: BatchedReads;
  readonly notifications: BatchedNotifications;
};

export async function createParts(
  options: AppOptions & Required<Pick<AppOptions, "internalUrl">>,
): Promise<Parts> {
  const { clock, keys, meters, tracing, siblings = alone } = options;
  const observers = { meters, tracing };
  const log = logLines(options.log, meters);
  const background: Background = { timers: options.timers ?? systemTimers, onError: log.failed };
  const database = connectDatabase({
    url: options.databaseUrl,
    replicaUrl: options.replicaUrl ?? null,
    poolSize: options.databasePool,
    onIdleError: log.connectionLost,
    onDeadlock: log.deadlock,
    audit: connectAuditLog(keys, options.auditLog === undefined ? options.log : options.auditLog),
  });
  await checkKeys({ database, clock, keys }).catch(async (error) => {
    await database.close();
    throw error;
  });
  const process = await acquireProcessNumber(database, {
    onDeath: async (tx, number) => {
      await releaseClaimsOf(tx, number, clock.now());
      await releaseDeliveriesOf(tx, number, clock.now());
    },
    background,
  });
  const changes = createChangeFeed(database);
  const accounts = createAccountCache(database, changes);
  const secrets = await createSecrets(keys);
  const vault = createVault({ keys, clock, database, siblings });
  const keyUses = createKeyUses(database);
  const connections = createConnections({ database, changes, log }, options);
  await connections.directory.reload();
  const { hashKey } = secrets;

  function startDeliveryWorker(): Deliveries {
    return startDeliveries({
      database,
      changes,
      clock,
      timers: background.timers,
      random: options.random,
      keys,
      processNumber: process.get,
      privateNetworks: options.privateWebhooks,
      resolveName: createResolver(),
      settings: { ...deliverySettingsOf(siblings), ...options.deliveries },
      onAttempt: observeAttempts(options),
      log: log.deliveries,
    });
  }
  const deliveries = options.workers && mayDeliver(siblings) ? startDeliveryWorker() : noDeliveries;
  const acquiring = createAcquiring(
    { database, connections, secrets, internalUrl: options.internalUrl },
    options,
  );

  return {
    clock,
    background,
    keys,
    log,
    database,
    changes,
    process,
    secrets,
    accounts,
    idempotencyKeys: createIdempotencyKeys(database),
    keyUses,
    authenticate: createKeyAuthentication({ database, changes, accounts, clock, hashKey, keyUses }),
    requestLog: createRequestLog(database, siblings),
    vault,
    paymentMethods: createPaymentMethods({ database, vault, clock }),
    wallets: createWallets({
      database,
      keys,
      clock,
      testWallet: acquiring.testNetwork.wallet,
      timers: systemTimers,
      isSandbox: connections.environment === "sandbox",
      hasWalletsUrl: Boolean(options.walletsUrl),
      ...(options.walletServers && { servers: options.walletServers }),
      log: log.wallets,
      ...(meters && { onAppleSession: meters.appleSessionRequested }),
    }),
    acquiring,
    connections,
    riskServices: createRiskServices(
      { database, changes, clock, siblings, onRuleDisabled: log.ruleDisabled },
      background,
    ),
    deliveries,
    commits: connectBatchedCommits(database, deliveries, observers),
    reads: connectBatchedReads(database, observers),
    notifications: connectBatchedNotifications(database, observers),
  };
}

/** Returns the function that counts and traces each attempt to deliver an event. */
function observeAttempts({
  meters,
  tracing,
}: Pick<AppOptions, "meters" | "tracing">): NonNullable<DeliveryDeps["onAttempt"]> {
  return ({ failure, status_code, duration_ms }, { eventId, id, attempt, body }) => {
    meters?.sentWebhook(failure?.code ?? "received");
    const request = tracing ? requestIn(body) : null;
    if (request === null) return;
    tracing?.recordDelivery({
      ...{ request, event: eventId, delivery: id, attempt },
      ...{ durationMs: duration_ms, status: status_code, failure: failure?.code ?? null },
    });
  };
}

/**
 * The delivery worker of a process that delivers no webhooks. It leases no deliveries, so another process claims the
 * deliveries that this process inserts.
 */
const noDeliveries: Deliveries = {
  wake: () => {},
  lease: () => null,
  take: () => {},
  stop: async () => {},
};

/**
 * Closes each part before the parts that it uses, so that the part can still finish and write its work in flight. The
 * database closes last.
 */
export async function closeParts(parts: Parts): Promise<void> {
  await parts.deliveries.stop();
  await parts.acquiring.testNetwork.close();
  await parts.acquiring.closeLive();
  const { commits, reads, notifications, idempotencyKeys } = parts;
  await Promise.all([commits, reads, notifications, idempotencyKeys].map((part) => part.close()));
  // These records may be lost, so a failed write, for example on a full disk, is only logged, and the database is
  // closed anyway.
  const { riskServices, keyUses, requestLog, log } = parts;
  await riskServices.flush().catch((error) => log.failed("velocity counters", error));
  await keyUses.flush().catch((error) => log.failed("key uses", error));
  await requestLog.flush().catch((error) => log.failed("request log", error));
  await parts.changes.close();
  await parts.process.stop();
  await parts.database.close();
}
