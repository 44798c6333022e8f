import type { Clock } from "../../core/clock.ts";
import { createdAt } from "../../core/ids.ts";
import { GatewayToken } from "../../vault/card-number.ts";
import type { AcquirerClient } from "../acquirer-client.ts";
import type { Assignment } from "../connections/assignment.ts";
import type { KeyedConnection } from "../idempotency-key.ts";
import type {
  AuthorizationOutcome,
  HttpResponse,
  OperationOutcome,
  Rejected,
  UnknownOutcome,
} from "../outcome.ts";
import {
  type AuthorizeRequest,
  type GatewayTokenRequest,
  type InquiryOutcome,
  type OperationRequest,
  type Processor,
  type ReferenceRequest,
  type ResumeRequest,
  type ReversalOutcome,
  type SentChargeRequest,
  unknownPayer,
  type VerifyCardRequest,
} from "../processor.ts";
import {
  cancelRequest,
  captureRequest,
  confirmAgainRequest,
  confirmRequest,
  confirmTokenRequest,
  createRequest,
  listRefundsRequest,
  refundRequest,
  retrieveRequest,
  reversalRefundRequest,
  type StripeRequest,
  searchRequest,
} from "./requests.ts";
import { evidenceLimits, respondToDispute } from "./respond-to-dispute.ts";
import {
  asTokenOutcome,
  cancellationOutcome,
  foundPayment,
  operationFound,
  operationOutcome,
  paymentOutcome,
  reversalOutcome,
  type SentPayment,
  type Uncharged,
  unknown,
} from "./responses.ts";
import { type StripeAccess, sendOnce, sendRequest } from "./send-request.ts";
import {
  isSetupIntent,
  retrieveSetupRequest,
  setupOutcome,
  setupRequest,
} from "./setup-intents.ts";
import { createTimeoutMs, readTokenRequest, rejectToken, tokenIdOf } from "./wallet-tokens.ts";

export type StripeProcessorOptions = {
  readonly assignment: Assignment;
  readonly access: StripeAccess;
  /** The client for Stripe's file host. */
  readonly filesClient: AcquirerClient;
  /** True if the connection offers Google Pay. */
  readonly acceptsGatewayTokens: boolean;
  /** The secret from which the idempotency keys are derived. It must not change. */
  readonly idempotencySecret: Uint8Array;
  readonly clock: Clock;
  readonly random: () => number;
  /** Receives the outcome of an authorization whose response arrived after `authorize` had returned `unknown`. */
  readonly onLateOutcome: (request: ReferenceRequest, outcome: AuthorizationOutcome) => void;
};

const hourMs = 60 * 60 * 1000;

/** Stripe removes idempotency keys after at least 24 hours (docs.stripe.com/api/idempotent_requests). */
const replaySafeForMs = 24 * hourMs;

/** The margin for the difference between our clock and Stripe's. */
const replayMarginMs = hourMs;

/** Returns a processor that sends the assignment's requests to Stripe. */
export function createStripeProcessor(options: StripeProcessorOptions): Processor {
  const { assignment, access, clock, random } = options;
  const connection: KeyedConnection = {
    id: assignment.connection,
    idempotencySecret: options.idempotencySecret,
  };

  function sendPayment(request: StripeRequest, sent: SentPayment) {
    const read = (response: Parameters<typeof paymentOutcome>[0]) =>
      paymentOutcome(response, sent, clock.now());
    return sendRequest(access, request, null, read, { random });
  }

  function findPayment(request: StripeRequest, reference: string) {
    return sendRequest(access, request, null, (response) => foundPayment(response, reference), {
      random,
    });
  }

  /**
   * Charges the card in two requests. The first creates the payment without a card. If its response is lost, no money
   * can move, because nothing confirms the payment.
   */
  async function authorize(request: AuthorizeRequest): Promise<AuthorizationOutcome> {
    const { reference, price, capture, card } = request;
    const descriptor = request.statementDescriptor ?? assignment.descriptor;
    const create = createRequest(connection, { reference, price, capture, descriptor });
    if ("kind" in create) return create;
    const created = await findPayment(create, reference);
    if (created.kind === "rejected") return created;
    if (created.kind !== "found" || created.id === null) return { kind: "not_sent" };
    const confirm = confirmRequest(connection, created.id, {
      reference,
      ...confirmationOf(request),
    });
    const confirmed = await sendRequest(
      access,
      confirm,
      card,
      (response) => paymentOutcome(response, { reference, price }, clock.now()),
      {
        random,
        onLate: (outcome) => options.onLateOutcome(request, decided(outcome)),
      },
    );
    return decided(confirmed);
  }

  /**
   * Charges a Google Pay token in three requests. The first reads the token, and the second creates the payment without
   * it. If one of their responses is lost, no money can move.
   */
  async function authorizeGatewayToken(
    request: GatewayTokenRequest,
  ): Promise<AuthorizationOutcome> {
    const { reference, price, capture, payer = unknownPayer } = request;
    const id = tokenIdOf(request.token.reveal());
    if (id === null) return { kind: "rejected", why: "wallet_token", acquirerErrorCode: null };
    const token = await sendOnce(access, readTokenRequest(id), null);
    if (token.kind !== "response") return { kind: "not_sent" };
    const rejection = rejectToken(token.response, id);
    if (rejection !== null) return rejection;
    const descriptor = request.statementDescriptor ?? assignment.descriptor;
    const create = createRequest(connection, { reference, price, capture, descriptor });
    if ("kind" in create) return create;
    const timed = { ...create, timeoutMs: createTimeoutMs };
    const response = await sendOnce(access, timed, null);
    if (response.kind !== "response") return { kind: "not_sent" };
    const answer = foundPayment(response.response, reference);
    // The request is not repeated, because its timeout is short (`createTimeoutMs`). A rate limit is not reported as a
    // request without a response, because a customer who pays often could otherwise open the circuit breaker.
    const created = answer.kind === "retry_same_request" ? answer.otherwise : answer;
    if (created.kind === "rejected") return created;
    if (created.kind !== "found" || created.id === null) return { kind: "not_sent" };
    const confirmed = await sendRequest(
      access,
      confirmTokenRequest(connection, created.id, { reference, payer }),
      new GatewayToken(id),
      (received) =>
        asTokenOutcome(paymentOutcome(received, { reference, price }, clock.now()), received),
      {
        random,
        onLate: (outcome) => options.onLateOutcome(request, decided(outcome)),
      },
    );
    return decided(confirmed);
  }

  async function verifyCard(request: VerifyCardRequest): Promise<AuthorizationOutcome> {
    const { reference, card } = request;
    const prepared = setupRequest(connection, { reference, ...confirmationOf(request) });
    const read = (response: HttpResponse) => setupOutcome(response, reference, clock.now());
    return sendRequest(access, prepared, card, read, { random });
  }

  /**
   * Continues the payment. Only a payment whose cardholder has authenticated is confirmed again. Stripe completes a
   * verification as soon as its cardholder has authenticated, so only its outcome is read.
   */
  async function resume({
    reference,
    price,
    resume: id,
  }: ResumeRequest): Promise<AuthorizationOutcome> {
    if (id === null) return unknown("the payment's ID is not known");
    if (isSetupIntent(id)) {
      const read = (response: HttpResponse) => setupOutcome(response, reference, clock.now());
      return ofExisting(
        await sendRequest(access, retrieveSetupRequest(id), null, read, { random }),
      );
    }
    const sent = { reference, price };
    const current = await sendPayment(retrieveRequest(id), sent);
    if (current.kind !== "unconfirmed") return ofExisting(current);
    const again = confirmAgainRequest(connection, { reference, paymentIntent: id });
    return ofExisting(await sendPayment(again, sent));
  }

  /**
   * Returns the ID of the charge's payment. While Stripe stores the idempotency key, sends the creation request again.
   * Stripe then returns the existing payment, or creates it if the first request never arrived. Later, searches for the
   * payment by our reference.
   */
  async function findId(
    request: SentChargeRequest,
  ): Promise<{ readonly kind: "found"; readonly id: string | null } | UnknownOutcome> {
    const { acquirerReference, reference, price, capture } = request;
    if (acquirerReference !== null) return { kind: "found", id: acquirerReference };
    const descriptor = request.statementDescriptor ?? assignment.descriptor;
    const ageMs = clock.now().getTime() - createdAt(reference).getTime();
    const create = createRequest(connection, { reference, price, capture, descriptor });
    const isRemembered = ageMs + replayMarginMs < replaySafeForMs && !("kind" in create);
    const found = isRemembered
      ? await findPayment(create, reference)
      : await findPayment(searchRequest(reference), reference);
    if (found.kind === "found" || found.kind === "unknown") return found;
    return unknown(`the payment was not found (${found.kind})`);
  }

  async function inquire(request: SentChargeRequest): Promise<InquiryOutcome> {
    const found = await findId(request);
    if (found.kind === "unknown") return found;
    if (found.id === null) return { kind: "not_found" };
    const outcome = await sendPayment(retrieveRequest(found.id), request);
    switch (outcome.kind) {
      case "unconfirmed":
      // The response with the redirect was lost, so the cardholder cannot authenticate.
      case "requires_action":
        return { kind: "not_found" };
      default:
        return ofExisting(outcome);
    }
  }

  /** Cancels the payment. A canceled payment rejects a confirmation that arrives later. */
  async function reverse(request: SentChargeRequest): Promise<ReversalOutcome> {
    const { reference, series, attempt } = request;
    const found = await findId(request);
    if (found.kind === "unknown") return found;
    // The search finds every payment of this age, so none was ever created.
    if (found.id === null) return { kind: "reversed" };
    const id = `${reference} ${attempt}`;
    const cancel = cancelRequest(connection, found.id, { kind: "reverse", id });
    const canceled = await sendRequest(access, cancel, null, cancellationOutcome, { random });
    if (canceled.kind === "canceled") return { kind: "reversed" };
    if (canceled.kind !== "captured") return lost(canceled);
    const target = { reference, paymentIntent: found.id, series };
    const refund = reversalRefundRequest(connection, target);
    const refunded = await sendRequest(access, refund, null, reversalOutcome, { random });
    return refunded.kind === "reversed" || refunded.kind === "pending"
      ? { kind: refunded.kind }
      : lost(refunded);
  }

  async function operate(request: OperationRequest): Promise<OperationOutcome> {
    const { chargeReference: paymentIntent } = request;
    if (paymentIntent === null) return unknown("the payment has no acquirer reference");
    const prepared = prepareOperation(connection, request, paymentIntent);
    if ("kind" in prepared) return prepared;
    const sent = { ...request, paymentIntent };
    const outcome = await sendRequest(
      access,
      prepared,
      null,
      (response) => operationOutcome(response, sent),
      { random },
    );
    const isRejected = outcome.kind === "rejected" && outcome.why === "invalid_request";
    if (request.kind !== "void" || !isRejected) return outcome;
    // Stripe rejects the cancellation of a payment that is already canceled, for example because its authorization has
    // expired.
    const found = await inquireOperation(request);
    return found.kind === "done" ? found : outcome;
  }

  async function inquireOperation(request: OperationRequest) {
    const { chargeReference: paymentIntent } = request;
    if (paymentIntent === null) return unknown("the payment has no acquirer reference");
    const sent = { ...request, paymentIntent };
    const inquiry =
      request.kind === "refund"
        ? listRefundsRequest(paymentIntent)
        : retrieveRequest(paymentIntent);
    const found = await sendRequest(
      access,
      inquiry,
      null,
      (response) => operationFound(response, sent),
      { random },
    );
    return found.kind === "rejected" || found.kind === "not_sent" ? lost(found) : found;
  }

  return {
    name: "stripe",
    assignmentId: assignment.id,
    replaySafeForMs,
    lookUp: () => ({ authentication: "optional", risk: "normal" }),
    authorize,
    authorizeGatewayToken: options.acceptsGatewayTokens ? authorizeGatewayToken : null,
    verifyCard,
    resume,
    authorizesBeforeReturn: false,
    inquire,
    reverse,
    operate,
    inquireOperation,
    respondToDispute: (response) =>
      respondToDispute({ access, filesClient: options.filesClient, connection }, response),
    evidenceLimits,
    payOut: null,
    settlementFile: null,
  };
}

/** Returns the fields that the confirmation of a payment and the verification of a card have in common. */
function confirmationOf(request: Omit<AuthorizeRequest, "price" | "capture" | "reference">) {
  const { card, use, authentication, redirect, payer, network = null } = request;
  return {
    hasSecurityCode: card.securityCode !== null,
    use: use ?? ({ kind: "once" } as const),
    authentication,
    redirect: redirect ?? null,
    payer: payer ?? unknownPayer,
    network: network === "cartes_bancaires" ? network : null,
  };
}

function prepareOperation(
  connection: KeyedConnection,
  { kind, reference, price }: OperationRequest,
  paymentIntent: string,
): StripeRequest | Rejected {
  const target = { reference, paymentIntent, price };
  switch (kind) {
    case "capture":
      return captureRequest(connection, target);
    case "refund":
      return refundRequest(connection, target);
    case "void":
      return cancelRequest(connection, paymentIntent, { kind: "void", id: reference });
  }
}

/** Returns the outcome of a confirmation. */
function decided(outcome: AuthorizationOutcome | Uncharged): AuthorizationOutcome {
  switch (outcome.kind) {
    case "ended":
      return { kind: "not_sent" };
    case "unconfirmed":
      return unknown("the payment is not confirmed");
    default:
      return outcome;
  }
}

/**
 * Returns the outcome of a payment that exists. A rejected or unsent request about it proves nothing about the payment,
 * which may be approved.
 */
function ofExisting(outcome: AuthorizationOutcome | Uncharged): AuthorizationOutcome {
  return outcome.kind === "rejected" || outcome.kind === "not_sent"
    ? lost(outcome)
    : decided(outcome);
}

function lost({ kind, ...more }: { readonly kind: string; readonly problem?: string }) {
  return unknown(more.problem ?? `the request was ${kind}`);
}
