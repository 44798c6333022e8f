import { openApi } from "@florin/contract/openapi.ts";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { accountRoutes } from "./accounts/account.routes.ts";
import { openAccounts } from "./accounts/accounts.ts";
import { openAdmitPerson } from "./accounts/admit-person.ts";
import { readMembershipsOf } from "./accounts/member.sql.ts";
import { openMerchant } from "./accounts/open-merchant.ts";
import { openTeam } from "./accounts/open-team.ts";
import { openAdmission } from "./api-keys/admit.ts";
import { apiKeyRoutes, type KeySeal } from "./api-keys/api-key.routes.ts";
import { openAuthentication } from "./api-keys/authenticate.ts";
import type { HashKey } from "./api-keys/issue-api-key.ts";
import { isLiveKey } from "./api-keys/key-text.ts";
import { openKeyUses } from "./api-keys/key-use.ts";
import { auditRoutes } from "./audit/audit.routes.ts";
import { balanceRoutes } from "./balance/balance.routes.ts";
import { startSealing } from "./balance/seal.jobs.ts";
import { startDueAuthentications } from "./charges/authentication.jobs.ts";
import { serveAuthenticationDoors } from "./charges/authentication.routes.ts";
import { startDueCharges } from "./charges/charge.jobs.ts";
import { chargeRoutes } from "./charges/charge.routes.ts";
import {
  openCharges,
  releaseChargesOf,
  type Settlement,
  settleCharges,
} from "./charges/charge.sql.ts";
import type { ChargeDeps } from "./charges/charge-deps.ts";
import { holdRoutes } from "./charges/hold.routes.ts";
import { captureRules, voidRules } from "./charges/hold.ts";
import {
  startDueOperations,
  startReleases,
  takeOperationNotice,
} from "./charges/operation.jobs.ts";
import { releaseOperationsOf } from "./charges/operation.sql.ts";
import type { OperationDeps } from "./charges/operation-deps.ts";
import { processorOf } from "./charges/prepare-charge.ts";
import { takeNotice } from "./charges/reconcile-charge.ts";
import { reviewRoutes } from "./charges/review.routes.ts";
import { ruleTrialRoutes } from "./charges/rule-trial.routes.ts";
import { startSearchEntries } from "./charges/search.jobs.ts";
import { challengePath, serveChallenges } from "./checkout-sessions/challenge.routes.ts";
import { startExpiry } from "./checkout-sessions/checkout-session.jobs.ts";
import { checkoutSessionRoutes } from "./checkout-sessions/checkout-session.routes.ts";
import { openSessions } from "./checkout-sessions/checkout-session.sql.ts";
import { openClientSecrets } from "./checkout-sessions/client-secret.ts";
import { openCspReports, serveCspReports } from "./checkout-sessions/csp-reports.ts";
import { serveFrameApi } from "./checkout-sessions/frame.routes.ts";
import { type EmbedFiles, serveFramePages } from "./checkout-sessions/frame-pages.ts";
import type { SessionDeps } from "./checkout-sessions/session-deps.ts";
import { openSettlingSessions } from "./checkout-sessions/settling-session.ts";
import { attachRoutes } from "./customers/attach.routes.ts";
import { customerRoutes } from "./customers/customer.routes.ts";
import { type DashboardFiles, serveDashboard } from "./dashboard/serve-dashboard.ts";
import { type Database, openDatabase } from "./database/database.ts";
import { groupCommit } from "./database/group-commit.ts";
import { pinnedPlans } from "./database/pinned-plans.ts";
import { decisionRoutes } from "./decisions/decision.routes.ts";
import { openJudging } from "./decisions/judging.ts";
import { listEntryRoutes } from "./decisions/list-entry.routes.ts";
import { ruleRoutes } from "./decisions/rule.routes.ts";
import { startVelocityExpiry } from "./decisions/velocity.jobs.ts";
import { startAnswers, startDeadlines } from "./disputes/dispute.jobs.ts";
import { disputeRoutes } from "./disputes/dispute.routes.ts";
import { type DisputeDeps, takeDisputeNotice } from "./disputes/record-dispute.ts";
import { testDisputeRoutes } from "./disputes/test-dispute.routes.ts";
import { startEventExpiry } from "./events/event.jobs.ts";
import { eventRoutes } from "./events/event.routes.ts";
import { serveEventStream } from "./events/event-stream.ts";
import { serveApi } from "./http/api.ts";
import { openRateLimit } from "./http/rate-limit.ts";
import { referencePages } from "./http/reference.routes.ts";
import type { Route } from "./http/route.ts";
import { createServer } from "./http/server.ts";
import { startKeyExpiry } from "./idempotency/idempotency.jobs.ts";
import { openIdempotencyKeys } from "./idempotency/idempotency.ts";
import type { Loop } from "./jobs/loop.ts";
import { takeProcessNumber } from "./jobs/process-number.ts";
import { startMail } from "./mail/mail.jobs.ts";
import type { SendMail } from "./mail/smtp.ts";
import { startMeasuring } from "./metrics/metrics.jobs.ts";
import { metricsRoutes } from "./metrics/metrics.routes.ts";
import { openOperator } from "./operator/open-operator.ts";
import { paymentMethodRoutes } from "./payment-methods/payment-method.routes.ts";
import { openPaymentMethods } from "./payment-methods/payment-methods.ts";
import { startPayouts, startSchedule } from "./payouts/payout.jobs.ts";
import { payoutRoutes } from "./payouts/payout.routes.ts";
import { openPeople } from "./people/open-people.ts";
import { startPeopleExpiry } from "./people/people.jobs.ts";
import type { Clock } from "./primitives/clock.ts";
import {
  openSimulator,
  type Simulator,
  type SimulatorTiming,
  usualTiming,
} from "./processors/simulator/simulator.ts";
import { testCards } from "./processors/simulator/test-cards.ts";
import {
  openSimulatedCardWorld,
  type SimulatedTiming,
} from "./processors/simulator/three-d-secure/simulated-card-world.ts";
import { startReconciliation } from "./reconciliation/reconciliation.jobs.ts";
import { reconciliationRoutes } from "./reconciliation/reconciliation.routes.ts";
import type { Reconciliation } from "./reconciliation/reconciliation.ts";
import { refundRoutes } from "./refunds/refund.routes.ts";
import { refundRules } from "./refunds/refund.ts";
import { testRefundRoutes } from "./refunds/test-refund.routes.ts";
import { openRequestLog } from "./request-log/gather.ts";
import { startRequestLogExpiry } from "./request-log/request-log.jobs.ts";
import { requestLogRoutes } from "./request-log/request-log.routes.ts";
import { savedViewRoutes } from "./saved-views/saved-view.routes.ts";
import { settingsCopyRoutes } from "./settings-copy/settings-copy.routes.ts";
import { testClockRoutes } from "./test-clock/test-clock.routes.ts";
import { openDoors } from "./three-d-secure/addresses.ts";
import {
  type AuthenticationTiming,
  usualAuthenticationTiming,
} from "./three-d-secure/deadlines.ts";
import { timelineRoutes } from "./timeline/timeline.routes.ts";
import { applicationRoutes } from "./underwriting/application.routes.ts";
import type { KeyProvider } from "./vault/key-provider.ts";
import { openPersonSecrets } from "./vault/person-secrets.ts";
import { openSecret, sealSecret } from "./vault/seal.ts";
import { openVault } from "./vault/vault.ts";
import { type Deliveries, startDeliveries } from "./webhooks/deliver.ts";
import { deliveryRoutes } from "./webhooks/delivery.routes.ts";
import { releaseDeliveriesOf } from "./webhooks/delivery.sql.ts";
import type { DeliverySettings } from "./webhooks/delivery-deps.ts";
import { endpointRoutes } from "./webhooks/endpoint.routes.ts";
import type { WebhookRouteDeps } from "./webhooks/endpoint-request.ts";
import { openResolver } from "./webhooks/resolve-name.ts";

/** The whole service, put together and not yet listening. */
export type App = {
  readonly http: FastifyInstance;
  readonly database: Database;
  readonly simulator: Simulator;
  readonly hashKey: HashKey;
  /** Writes when keys were last used, ahead of its minute. */
  writeKeyUses(): Promise<void>;
  /** Writes which requests were made, ahead of its second. */
  writeRequestLog(): Promise<void>;
  /** Finishes what is in flight, and lets go of everything. */
  close(): Promise<void>;
};

export type AppOptions = {
  readonly databaseUrl: string;
  readonly databasePool: number;
  readonly keys: KeyProvider;
  readonly clock: Clock;
  /** Between 0 and 1; spreads retries. */
  readonly chance: () => number;
  readonly log: Logger;
  readonly embed: EmbedFiles;
  /** Where people work; nothing is served there when left out. */
  readonly dashboard?: DashboardFiles;
  /** Where browsers reach the service; asked when it is needed, for the port may be known only then. */
  readonly publicUrl: () => string;
  /** Where this process's own neighbours reach it: the test directory server and bank. The public address, if not said. */
  readonly localUrl?: () => string;
  /** Networks of the proxies in front of the service. */
  readonly trustedProxies?: readonly string[];
  readonly rateLimit: number | null;
  /** Networks that webhooks of test mode may go to, beside the public internet. */
  readonly privateWebhooks: readonly string[];
  /** Whether this process also delivers webhooks and runs the jobs. */
  readonly workers: boolean;
  /** Null: there is no mail server. */
  readonly sendMail?: SendMail | null;
  /** Without a mail server: whether the mail is shown in the dashboard instead, to anybody. */
  readonly showOutbox?: boolean;
  readonly acquirer?: Partial<SimulatorTiming>;
  readonly threeDSecure?: Partial<SimulatedTiming & AuthenticationTiming>;
  readonly deliveries?: Partial<DeliverySettings>;
};

export async function openApp(options: AppOptions): Promise<App> {
  const { clock, chance, keys, log, sendMail = null } = options;
  const onLoopError = (name: string, error: unknown): void =>
    log.error({ err: error, name }, "failed");
  const database = openDatabase({
    url: options.databaseUrl,
    poolSize: options.databasePool,
    onIdleError: (error) => log.warn({ reason: error.message }, "a database connection was lost"),
  });
  const process = await takeProcessNumber(database, {
    onDeath: async (tx, number) => {
      await releaseChargesOf(tx, number, clock.now());
      await releaseDeliveriesOf(tx, number, clock.now());
      await releaseOperationsOf(tx, number, clock.now());
    },
    onError: onLoopError,
  });

  const hashKey: HashKey = (key) => keys.mac(isLiveKey(key), Buffer.from(`api_key|${key}`));
  const clientSecrets = openClientSecrets({
    test: await keys.mac(false, Buffer.from("client_secrets")),
    live: await keys.mac(true, Buffer.from("client_secrets")),
  });
  const embedUrlOf: SessionDeps["embedUrlOf"] = ({ id, owner }) =>
    `${options.publicUrl()}/embed/${id}#${clientSecrets.of(owner, id)}`;

  const accounts = openAccounts(database);
  const idempotencyKeys = openIdempotencyKeys(database);
  const keyUses = openKeyUses(database);
  const requestLog = openRequestLog(database);
  const vault = openVault({ keys, clock, database });
  const paymentMethods = openPaymentMethods({ database, vault, clock });
  const simulator = openSimulator({
    database,
    clock,
    timing: { ...usualTiming, ...options.acquirer },
    onNotice: (notice) => takeNotice(chargeDeps, notice),
    onOperation: (notice) => takeOperationNotice(operationDeps, notice),
    onDispute: (notice) => takeDisputeNotice(disputeDeps, notice),
  });

  const localUrl = options.localUrl ?? options.publicUrl;
  const cardWorld = openSimulatedCardWorld({
    database,
    clock,
    serverUrl: localUrl,
    publicUrl: options.publicUrl,
    ...(options.threeDSecure && { timing: options.threeDSecure }),
  });
  const doors = openDoors(
    {
      test: await keys.mac(false, Buffer.from("three_d_secure_doors")),
      live: await keys.mac(true, Buffer.from("three_d_secure_doors")),
    },
    {
      publicUrl: options.publicUrl,
      serverUrl: ({ livemode }) => (livemode ? options.publicUrl() : localUrl()),
    },
  );

  const judging = openJudging({ database, clock }, onLoopError);
  const { judge, books } = judging;

  let deliveries: Deliveries | null = null;
  const connect = () => database.connect(pinnedPlans);
  const opening = groupCommit({ connect, ...batches, write: openCharges });
  const settling = groupCommit({
    connect,
    ...batches,
    write: (tx, settlements: Settlement[]) =>
      settleCharges(tx, settlements, deliveries?.lease() ?? null),
  });

  const openingSessions = groupCommit({ connect, ...batches, connections: 1, write: openSessions });

  const chargeDeps: ChargeDeps = {
    database,
    clock,
    chance,
    processNumber: process.get,
    idempotencyKeys,
    openCharge: opening,
    settleCharge: async (settlement) => {
      const settled = await settling(settlement);
      const { owner, version } = settlement.charge;
      // What is settled at its first move has had no event before.
      deliveries?.take(owner, settled.deliveries, version === 2);
      return settled.recorded;
    },
    // Test mode reaches nothing but the simulator (contract §7); no live acquirer exists yet.
    processorFor: (owner) => (owner.livemode ? null : simulator),
    accounts,
    paymentMethods,
    judge,
    cardLimits: options.rateLimit !== null,
    threeDSecure: {
      database,
      clock,
      timing: { ...usualAuthenticationTiming, ...options.threeDSecure },
      // As with the acquirer: test mode reaches the simulator alone, and nobody else is configured yet.
      serverFor: (owner) => (owner.livemode ? null : cardWorld.threeDSServer),
      addressesOf: doors.addressesOf,
    },
    readSettlingSession: openSettlingSessions(database, embedUrlOf),
    links: {
      baseUrl: options.publicUrl,
      challengeUrl: (charge) => `${options.publicUrl()}${challengePath(clientSecrets, charge)}`,
    },
    log: {
      manualReview: (charge) => log.error({ charge }, "no inquiry could explain a charge"),
      inquiryFailed: (charge, error) => log.error({ charge, err: error }, "an inquiry failed"),
    },
  };
  const operationDeps: OperationDeps = {
    ...chargeDeps,
    rules: { capture: captureRules, void: voidRules, refund: refundRules },
    wakeDeliveries: () => deliveries?.wake(),
    log: {
      manualReview: (operation) =>
        log.error({ operation }, "no inquiry could explain an operation"),
      inquiryFailed: (operation, error) =>
        log.error({ operation, err: error }, "an inquiry about an operation failed"),
    },
  };
  const disputeDeps: DisputeDeps = {
    ...operationDeps,
    log: {
      answerFailed: (dispute, error) =>
        log.error({ dispute, err: error }, "an answer to a dispute could not be sent"),
    },
  };
  const reconciliationDeps = {
    database,
    clock,
    idempotencyKeys,
    settlementsOf: chargeDeps.processorFor,
    log: {
      differences: ({ owner, day }: Reconciliation) =>
        log.error({ account: owner.account, day }, "a day's books differ from the acquirer's"),
    },
  };
  const sessionDeps: SessionDeps = {
    charges: chargeDeps,
    accounts,
    openSession: openingSessions,
    vault,
    clientSecrets,
    cardLimit: options.rateLimit === null ? null : openRateLimit(cardsPerSecond),
    embedUrlOf,
    bankOrigins: ({ livemode }) => (livemode ? ["https:"] : [cardWorld.bankSource()]),
  };

  const webhookDeps: WebhookRouteDeps = {
    database,
    clock,
    idempotencyKeys,
    keys,
    privateNetworks: options.privateWebhooks,
    wakeDeliveries: () => deliveries?.wake(),
  };

  const showOutbox = sendMail === null && options.showOutbox === true;
  const canMail = sendMail !== null || showOutbox;
  const people = openPeople({
    database,
    clock,
    canMail,
    showOutbox,
    secrets: openPersonSecrets(keys),
    membershipsOf: readMembershipsOf,
    openMerchant: (tx, founder, merchant) => openMerchant(tx, founder, merchant, clock),
    publicUrl: options.publicUrl,
    rateLimit: options.rateLimit === null ? null : openRateLimit(peoplePerSecond),
  });
  const team = openTeam({ database, clock, idempotencyKeys, people, canMail });

  const routes: Route[] = [
    ...checkoutSessionRoutes(sessionDeps),
    ...chargeRoutes(chargeDeps),
    ...holdRoutes(operationDeps),
    ...refundRoutes(operationDeps),
    ...paymentMethodRoutes({ database, vault, clock, idempotencyKeys }),
    ...customerRoutes({ database, vault, clock, idempotencyKeys }),
    ...attachRoutes({ database, vault, clock, idempotencyKeys }),
    ...ruleRoutes({ database, clock, idempotencyKeys, books }),
    ...listEntryRoutes({ database, clock, idempotencyKeys, books }),
    ...ruleTrialRoutes(database),
    ...reviewRoutes(operationDeps),
    ...testRefundRoutes(operationDeps, simulator),
    ...disputeRoutes(disputeDeps),
    ...testDisputeRoutes(disputeDeps, simulator),
    ...decisionRoutes({
      database,
      clock,
      idempotencyKeys,
      judge,
      paymentMethods,
      processorFor: (owner, price) => processorOf(chargeDeps, owner, price),
    }),
    ...metricsRoutes({ database, clock }),
    ...timelineRoutes({ database }),
    ...savedViewRoutes({ database, clock, idempotencyKeys }),
    ...eventRoutes({ database, clock }),
    ...endpointRoutes(webhookDeps),
    ...deliveryRoutes(webhookDeps),
    ...balanceRoutes({ database, clock }),
    ...payoutRoutes(operationDeps, simulator),
    ...reconciliationRoutes(reconciliationDeps),
    ...testClockRoutes(operationDeps),
    ...accountRoutes({ accounts }),
    ...applicationRoutes({
      database,
      clock,
      keys,
      idempotencyKeys,
      wakeDeliveries: () => deliveries?.wake(),
    }),
    ...team.routes,
    ...auditRoutes({ database }),
    ...requestLogRoutes({ database, clock }),
    ...settingsCopyRoutes({ database, clock, idempotencyKeys, keys, books }),
    ...apiKeyRoutes({
      database,
      clock,
      idempotencyKeys,
      accounts,
      hashKey,
      keySeal: keySeal(keys),
    }),
  ];

  const operator = openOperator({
    database,
    clock,
    keys,
    idempotencyKeys,
    wakeDeliveries: () => deliveries?.wake(),
    sendsMail: sendMail !== null,
    acquirerTimeoutMs: options.acquirer?.answerWithinMs ?? usualTiming.answerWithinMs,
    readSession: people.readSession,
    rateLimit: options.rateLimit === null ? null : openRateLimit(peoplePerSecond),
  });
  const http = createServer({
    clock,
    ...(options.trustedProxies && { trustedProxies: options.trustedProxies }),
    baseUrl: options.publicUrl,
    log: { fault: (request, error) => log.error({ request, err: error }, "a request failed") },
  });
  const admit = openAdmission(
    openAuthentication({ database, clock, hashKey, noteUse: keyUses.note }),
    openAdmitPerson({ database, readSession: people.readSession }),
  );
  serveApi(http, routes, {
    admit,
    clock,
    rateLimit: openRateLimit(options.rateLimit),
    idempotencyKeys,
    noteRequest: requestLog.note,
  });
  serveEventStream(http, {
    database,
    clock,
    admit,
    onError: (error) => onLoopError("event stream", error),
  });
  people.serve(http);
  operator.serve(http);
  team.serve(http);
  serveFrameApi(http, sessionDeps);
  serveFramePages(http, sessionDeps, options.embed);
  if (options.dashboard) {
    serveDashboard(http, { ...options.dashboard, publicUrl: options.publicUrl });
  }
  serveCspReports(
    http,
    openCspReports((violation) => log.warn(violation, "a page's policy was violated")),
  );
  serveChallenges(http, sessionDeps, options.embed.manifest);
  serveAuthenticationDoors(http, chargeDeps, doors);
  cardWorld.serve(http);
  referencePages(http, openApi(routes, { version: apiVersion }), testCards);
  await http.ready();

  // Each process judges, so each hears from the others.
  const loops: Loop[] = judging.start();
  loops.push(keyUses.start(onLoopError), requestLog.start(onLoopError));
  if (options.workers) {
    deliveries = startDeliveries({
      database,
      clock,
      chance,
      keys,
      processNumber: process.get,
      privateNetworks: options.privateWebhooks,
      resolveName: openResolver(),
      ...(options.deliveries && { settings: options.deliveries }),
      log: {
        workFailed: onLoopError,
        endpointDisabled: (endpoint, reason) => log.warn({ endpoint, reason }, "endpoint disabled"),
      },
    });
    loops.push(startDueCharges(chargeDeps, onLoopError));
    loops.push(startSearchEntries(chargeDeps, onLoopError));
    loops.push(startMeasuring(chargeDeps, onLoopError));
    loops.push(startDueOperations(operationDeps, onLoopError));
    loops.push(startReleases(operationDeps, onLoopError));
    loops.push(startPayouts(operationDeps, onLoopError));
    loops.push(startSchedule(operationDeps, onLoopError));
    loops.push(startSealing({ database, clock }, onLoopError));
    loops.push(startReconciliation(reconciliationDeps, onLoopError));
    loops.push(startDeadlines(disputeDeps, onLoopError));
    loops.push(startAnswers(disputeDeps, onLoopError));
    loops.push(simulator.startNotices(onLoopError));
    loops.push(startDueAuthentications(chargeDeps, onLoopError));
    loops.push(cardWorld.startPatience(onLoopError));
    loops.push(cardWorld.startForgetting(onLoopError));
    loops.push(startExpiry(sessionDeps, onLoopError));
    loops.push(startKeyExpiry(database, onLoopError));
    loops.push(startEventExpiry({ database, clock }, onLoopError));
    loops.push(startRequestLogExpiry({ database, clock }, onLoopError));
    loops.push(startVelocityExpiry({ database, clock }, onLoopError));
    loops.push(operator.start(onLoopError));
    loops.push(startPeopleExpiry({ database, clock }, onLoopError));
    if (sendMail) {
      const notSent = (mail: string, reason: string, next: Date | null) =>
        next
          ? log.warn({ mail, reason, next }, "mail not sent")
          : log.error({ mail, reason }, "mail given up");
      loops.push(startMail({ database, clock, send: sendMail, log: { notSent } }, onLoopError));
    }
  }

  return {
    http,
    database,
    simulator,
    hashKey,
    writeKeyUses: keyUses.flush,
    writeRequestLog: requestLog.flush,
    async close() {
      // First no new requests, then the ones in flight, then what runs later, and the database last.
      await http.close();
      await Promise.all(loops.map((loop) => loop.stop()));
      await deliveries?.stop();
      await simulator.close();
      await Promise.all([
        opening.close(),
        settling.close(),
        openingSessions.close(),
        idempotencyKeys.close(),
      ]);
      await judging.flush();
      await keyUses.flush();
      await requestLog.flush();
      await process.stop();
      await database.close();
    },
  };
}

/** A key's text as it is kept for a repeated request: under the key provider's seal. */
function keySeal(keys: KeyProvider): KeySeal {
  const purpose = "api_key";
  return {
    seal: (owner, id, secret) => sealSecret(keys, { owner, id, purpose }, Buffer.from(secret)),
    open: async (owner, id, sealed) =>
      (await openSecret(keys, { owner, id, purpose }, sealed)).toString(),
  };
}

const apiVersion = "1";

/** Requests to the door of people, a second and at once, from one network address. */
const peoplePerSecond = 50;

/** Cards that one network address may try a second, and at once. */
const cardsPerSecond = 10;

/** Two connections for each kind of batch, and 64 rows: measured in docs/decisions/0003-group-commit.md. */
const batches = { connections: 2, maxBatch: 64, maxQueue: 4_096 };
