import type {
  AuthorizationOutcome,
  OperationOutcome,
  UnknownOutcome,
} from "@florin/server/acquiring/outcome.ts";
import type {
  AuthorizeRequest,
  ChargeNotification,
  DisputeNotification,
  InquiryOutcome,
  OperationInquiry,
  OperationNotification,
  OperationRequest,
  PayoutRequest,
  PayoutResponse,
  Processor,
  ReferenceRequest,
  ReversalOutcome,
  SettlementRequest,
  SettlementResponse,
} from "@florin/server/acquiring/processor.ts";
import {
  defaultAcquirerTimeoutMs,
  type TestControls,
} from "@florin/server/acquiring/test-network.ts";
import type { Clock } from "@florin/server/core/clock.ts";
import { type AccountId, newId } from "@florin/server/core/ids.ts";
import type { Database } from "@florin/server/platform/database/database.ts";
import { QueueFull } from "@florin/server/platform/database/group-commit.ts";
import { type Background, type Loop, startLoop } from "@florin/server/platform/jobs/loop.ts";
import { type AmountTrigger, triggerOf } from "./amount-triggers.ts";
import { readAuthorizations, resolvePending, reverseAuthorization } from "./authorization.sql.ts";
import {
  type Decision,
  decide,
  isDue,
  keyOf,
  pendingResponse,
  responseOf,
  verificationResponse,
} from "./authorization.ts";
import { traitsOf } from "./card-traits.ts";
import { createDisputeCases, evidenceLimits } from "./dispute-cases.ts";
import { createFaultInjector, type Faults, type Message } from "./faults.ts";
import { createSimulatorLedger, type Recorded } from "./ledger.ts";
import { insertBehavior } from "./operation.sql.ts";
import { createOperations } from "./operations.ts";
import { failPayout, payOut } from "./payouts.ts";
import { createSettlement } from "./settlement.ts";
import {
  connectionLost,
  createUnreliableConnection,
  invalidResponse,
  neverResolves,
} from "./unreliable-connection.ts";

/**
 * The acquirer of test mode. It has a separate ledger, written in separate transactions. Any number of server processes
 * may call it, and any of them may be killed at any moment: every response is stored before it is returned.
 *
 * Every live acquirer must give the same guarantees:
 * - A reference is approved at most once, even if several processes send it.
 * - "approved" is returned only after the approval is durable.
 * - After `reverse` has returned "reversed", there is no approval under that reference, and there never will be.
 */
export type Simulator = Processor &
  TestControls & {
    // Other acquirers need not have these methods.
    inquire(request: ReferenceRequest): Promise<InquiryOutcome>;
    inquireOperation(request: OperationInquiry): Promise<OperationOutcome | { kind: "not_found" }>;
    payOut(request: PayoutRequest): Promise<PayoutResponse>;
    settlementFile(request: SettlementRequest): Promise<SettlementResponse>;
    /** Does not require an acquirer's reference. */
    reverse(request: ReferenceRequest): Promise<ReversalOutcome>;
    /**
     * Sets the faults of the connection until the next call. `{}` clears them. With `merchant`, the faults affect only
     * that merchant's messages.
     */
    injectFaults(faults: Faults, merchant?: AccountId): void;
    /** Sends due notifications until it is stopped. */
    startNotifications(background: Background): Loop;
    /**
     * Ends the waits of callers with the result of a lost connection, and drops notifications that are not sent yet.
     */
    close(): Promise<void>;
  };

export type SimulatorTiming = {
  /** The time that a caller waits for a response before the outcome is `unknown`. */
  readonly responseTimeoutMs: number;
  /** The response time of amount trigger 4004. */
  readonly slowResponseMs: number;
  /** The time that amount triggers 4005 and 4006 stay pending. */
  readonly resolveAfterMs: number;
  /** The time for which the simulator recognizes the reference of a repeated capture, void or refund. */
  readonly replaySafeForMs: number;
};

export const defaultTiming: SimulatorTiming = {
  responseTimeoutMs: defaultAcquirerTimeoutMs,
  slowResponseMs: 15_000,
  resolveAfterMs: 30_000,
  replaySafeForMs: Number.POSITIVE_INFINITY,
};

export type SimulatorOptions = {
  readonly database: Database;
  readonly clock: Clock;
  readonly timing?: SimulatorTiming;
  /** Receives notifications of charges. The simulator sends each notification once and ignores errors. */
  readonly onNotification?: (notification: ChargeNotification) => void | Promise<void>;
  /** Receives notifications of operations. The simulator repeats a notification until this function succeeds. */
  readonly onOperation?: (notification: OperationNotification) => Promise<void>;
  /** Receives notifications of disputes. The simulator repeats a notification until this function succeeds. */
  readonly onDispute?: (notification: DisputeNotification) => Promise<void>;
};

export function createSimulator(options: SimulatorOptions): Simulator {
  const { database, clock, timing = defaultTiming, onNotification = () => undefined } = options;
  const ledger = createSimulatorLedger(database, clock);
  const connection = createUnreliableConnection();
  const faultInjector = createFaultInjector();
  const delayedAuthorizations = new Map<string, () => void>();
  const operations = createOperations({
    database,
    clock,
    resolveAfterMs: timing.resolveAfterMs,
    replaySafeForMs: timing.replaySafeForMs,
    onNotification: options.onOperation ?? (() => Promise.resolve()),
  });
  const cases = createDisputeCases({
    database,
    clock,
    opensAfterMs: timing.resolveAfterMs,
    onNotification: options.onDispute ?? (() => Promise.resolve()),
  });

  function authorize(request: AuthorizeRequest): Promise<AuthorizationOutcome> {
    const injected = faultInjector.consume("authorize", request.account);
    const forced = injected && triggerOf(injected);
    const decision = decide(request, clock.now(), timing.resolveAfterMs, forced);
    const activeFaults = decision.trigger?.kind === "fault" ? decision.trigger.faults : injected;
    const isPlain =
      decision.trigger === null && decision.behavior === null && decision.casePlan === null;
    // Fast path for nearly every charge: one row in a group commit, and no timer.
    if (activeFaults === null && isPlain) {
      return ledger(decision.authorization).then(
        (recorded) => responseTo(request, recorded),
        (error: unknown) => (error instanceof QueueFull ? { kind: "not_sent" } : connectionLost),
      );
    }
    return connection.withinDeadline(
      timing.responseTimeoutMs,
      authorizeWithFaults(request, decision, activeFaults ?? {}),
      (response) => void notify(request, response),
    );
  }

  async function authorizeWithFaults(
    request: AuthorizeRequest,
    { authorization, trigger, behavior, casePlan }: Decision,
    activeFaults: Faults,
  ): Promise<AuthorizationOutcome> {
    if (activeFaults.dropBefore) return neverResolves();
    if (activeFaults.arriveAfterNotFound) await waitUntilNotFound(request);
    if (activeFaults.hangMs) await connection.delay(activeFaults.hangMs);
    if (trigger?.kind === "times_out" && !trigger.moneyMoved) return neverResolves();
    if (trigger?.kind === "returns_invalid_response") return invalidResponse;

    // Insert before the approval, so that no operation finds the approval without its behavior.
    if (behavior) await database.autocommit((tx) => insertBehavior(tx, authorization, behavior));
    if (casePlan) await cases.plan(authorization, casePlan);
    const recorded = await ledger(authorization);
    const response = await responseTo(request, recorded);
    // The trigger affects only the first response. A repeated request returns the stored outcome.
    if (recorded.first && trigger) await applyTrigger(trigger, request, response);

    if (activeFaults.respondTwice) void notify(request, response);
    if (activeFaults.otherReference) {
      void notify({ ...request, reference: newId("ch", clock.now()) }, response);
    }
    return applyResponseFaults(response, activeFaults);
  }

  /** Returns the response, changed or lost as the faults require. */
  async function applyResponseFaults<Response>(
    response: Response,
    activeFaults: Faults,
  ): Promise<Response | UnknownOutcome> {
    if (activeFaults.delayMs) await connection.delay(activeFaults.delayMs);
    if (activeFaults.dropAfter || activeFaults.hangMs) return neverResolves();
    if (activeFaults.reset) return connectionLost;
    // A response with another reference is not a response to this request.
    return activeFaults.garbage || activeFaults.otherReference ? invalidResponse : response;
  }

  /** Applies an amount trigger after the commit and before the response. */
  async function applyTrigger(
    trigger: AmountTrigger,
    request: ReferenceRequest,
    response: AuthorizationOutcome,
  ): Promise<void> {
    if (trigger.kind === "times_out") return neverResolves();
    if (trigger.kind === "responds_slowly") return connection.delay(timing.slowResponseMs);
    if (trigger.kind === "pending") void notifyWhenResolved(request);
    if (trigger.kind === "notification")
      await sendNotifications(trigger.delivery, request, response);
  }

  async function sendNotifications(
    delivery: "twice" | "out_of_order" | "before_the_response",
    request: ReferenceRequest,
    response: AuthorizationOutcome,
  ): Promise<void> {
    if (delivery === "before_the_response") return notify(request, response);
    const [first, second]: AuthorizationOutcome[] =
      delivery === "twice" ? [response, response] : [response, pendingResponse];
    // Not awaited, so that the notifications arrive before or after the response.
    void notify(request, first as AuthorizationOutcome).then(() =>
      notify(request, second as AuthorizationOutcome),
    );
  }

  async function notifyWhenResolved(request: ReferenceRequest): Promise<void> {
    // Wait 5 ms longer, because a timer can fire a millisecond before the clock reaches its time.
    await connection.delay(timing.resolveAfterMs + 5);
    const response = await readLedger(request).catch(() => null);
    if (response && response.kind !== "not_found") await notify(request, response);
  }

  async function notify(request: ReferenceRequest, response: AuthorizationOutcome): Promise<void> {
    const { account, reference } = request;
    try {
      await onNotification({ account, livemode: false, reference, response });
    } catch {
      // Ignore the error. A service that misses the notification sends an inquiry.
    }
  }

  function responseTo(
    request: ReferenceRequest,
    { line, first }: Recorded,
  ): AuthorizationOutcome | Promise<AuthorizationOutcome> {
    if (first || !isDue(line, clock.now())) return responseOf(line);
    return readLedger(request).then((response) =>
      response.kind === "not_found" ? connectionLost : response,
    );
  }

  async function readLedger(request: ReferenceRequest): Promise<InquiryOutcome> {
    const key = keyOf(request);
    const now = clock.now();
    const [line] = await readAuthorizations(database.read, [key]);
    if (!line) return { kind: "not_found" };
    if (!isDue(line, now)) return responseOf(line);
    await database.autocommit((tx) => resolvePending(tx, key, now));
    // Read again, because a concurrent reversal may have resolved the authorization first.
    const [resolved = line] = await readAuthorizations(database.read, [key]);
    return responseOf(resolved);
  }

  async function reverse(request: ReferenceRequest): Promise<{ readonly kind: "reversed" }> {
    await database.autocommit((tx) => reverseAuthorization(tx, keyOf(request), clock.now()));
    return { kind: "reversed" };
  }

  /** Handles a message other than an authorization, with the faults of the connection. */
  function sendWithFaults<Response>(
    message: Message,
    account: AccountId,
    work: (activeFaults: Faults) => Promise<Response>,
  ): Promise<Response | UnknownOutcome> {
    const activeFaults = faultInjector.consume(message, account) ?? {};
    return connection.withinDeadline(timing.responseTimeoutMs, exchange(), ignoreLateResponse);

    async function exchange(): Promise<Response | UnknownOutcome> {
      if (activeFaults.dropBefore) return neverResolves();
      if (activeFaults.hangMs) await connection.delay(activeFaults.hangMs);
      return applyResponseFaults(await work(activeFaults), activeFaults);
    }
  }

  async function releaseAfter<Response extends { readonly kind: string }>(
    request: ReferenceRequest,
    work: Promise<Response>,
  ): Promise<Response> {
    const response = await work;
    if (response.kind === "not_found" || response.kind === "reversed") release(request);
    return response;
  }

  function operate(request: OperationRequest): Promise<OperationOutcome> {
    const { account, reference, kind } = request;
    return sendWithFaults(kind, account, async (activeFaults) => {
      const response = await operations.perform(request, activeFaults);
      if (activeFaults.respondTwice) notifyOperation({ account, reference, response });
      if (activeFaults.otherReference) {
        notifyOperation({ account, reference: newId("op", clock.now()), response });
      }
      return response;
    });
  }

  /** Sends a notification once. A service that misses the notification sends an inquiry. */
  function notifyOperation(notification: Omit<OperationNotification, "livemode">): void {
    options.onOperation?.({ ...notification, livemode: false }).catch(() => undefined);
  }

  function inquire(request: ReferenceRequest): Promise<InquiryOutcome> {
    return sendWithFaults("inquire", request.account, async (activeFaults) => {
      const response = await releaseAfter(request, readLedger(request));
      if (response.kind === "not_found") return response;
      if (activeFaults.respondTwice) void notify(request, response);
      if (activeFaults.rejectLate) return pendingResponse;
      const isHalved = activeFaults.otherAmount && response.kind === "approved";
      return isHalved
        ? { ...response, approvedMinor: Math.floor(response.approvedMinor / 2) }
        : response;
    });
  }

  function waitUntilNotFound(request: ReferenceRequest): Promise<void> {
    return new Promise((arrive) => delayedAuthorizations.set(request.reference, arrive));
  }

  function release(request: ReferenceRequest): void {
    delayedAuthorizations.get(request.reference)?.();
    delayedAuthorizations.delete(request.reference);
  }

  const settlement = createSettlement(database, clock);

  return {
    name: settlement.name,
    assignmentId: null,
    replaySafeForMs: timing.replaySafeForMs,
    lookUp: traitsOf,
    authorize,
    authorizeGatewayToken: null,
    verifyCard: (request) =>
      sendWithFaults("verify_card", request.account, () =>
        Promise.resolve(verificationResponse(request, clock.now())),
      ),
    resume: null,
    authorizesBeforeReturn: false,
    inquire,
    reverse: (request) =>
      sendWithFaults("reverse", request.account, () => releaseAfter(request, reverse(request))),
    operate,
    inquireOperation: (request) =>
      sendWithFaults("inquire", request.account, () => operations.inquire(request)),
    respondToDispute: (response) =>
      sendWithFaults("dispute", response.account, () => cases.respond(response)),
    evidenceLimits: () => evidenceLimits,
    payOut: (request) =>
      sendWithFaults("payout", request.account, () =>
        payOut(database, request, clock.now(), timing.resolveAfterMs),
      ),
    settlementFile: (request) =>
      sendWithFaults("settlement", request.account, () => settlement.settlementFile(request)),
    failRefund: operations.failRefund,
    failPayout: (request) => failPayout(database, request),
    async openDispute({ account, reference }, wanted) {
      const networkCase = await cases.open(keyOf({ account, reference }), wanted);
      await cases.sendNotifications();
      return networkCase;
    },
    async closeDispute(which, outcome) {
      const isClosed = await cases.decide(which, outcome);
      await cases.sendNotifications();
      return isClosed;
    },
    hasNotifiedOf: cases.isNotified,
    startNotifications: (background) =>
      startLoop({
        name: "acquirer's notifications",
        everyMs: 500,
        background,
        work: async () =>
          (await operations.sendNotifications()) + (await cases.sendNotifications()),
      }),
    injectFaults: (faults, merchant) => faultInjector.set(faults, merchant ?? null),
    async close() {
      connection.close();
      await ledger.close();
    },
  };
}

/** Ignores a response after the deadline. The caller repeats the request. */
const ignoreLateResponse = (): void => undefined;
