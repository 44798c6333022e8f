import type { Clock } from "../../core/clock.ts";
import { type AttemptId, createdAt } from "../../core/ids.ts";
import type { Assignment } from "../connections/assignment.ts";
import { AcquirerSecret } from "../connections/connection-secrets.ts";
import type { JsonObject } from "../json-object.ts";
import type {
  AuthorizationOutcome,
  HttpResponse,
  OperationOutcome,
  Rejected,
  RetrySameRequest,
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
  actionsOf,
  authorizationCodeIn,
  operationIn,
  operationOutcome,
  reversalActionIn,
} from "./action-responses.ts";
import {
  actionsRequest,
  type CheckoutComConnection,
  type CheckoutComRequest,
  captureRequest,
  descriptorOf,
  exchangeRequest,
  paymentRequest,
  refundRequest,
  retrieveRequest,
  reversalReference,
  reversalRequest,
  searchRequest,
  tokenPaymentRequest,
  voidRequest,
} from "./requests.ts";
import { evidenceLimits, respondToDispute } from "./respond-to-dispute.ts";
import { approvalCodes } from "./response-codes.ts";
import { unknown } from "./response-failures.ts";
import {
  asTokenOutcome,
  authorizationOutcome,
  authorizationState,
  decline,
  type Ended,
  exchangeOutcome,
  foundOutcome,
  type NotApproved,
  reversalStep,
  type SentPayment,
  searchOutcome,
} from "./responses.ts";
import { type CheckoutComAccess, sendOnce, sendRequest } from "./send-request.ts";

export type CheckoutComProcessorOptions = {
  readonly assignment: Assignment;
  readonly access: CheckoutComAccess;
  /** The key that exchanges wallets' tokens. Null if no wallet is offered. */
  readonly publicKey: string | null;
  /** The secret from which the idempotency keys are derived. It must not change. */
  readonly idempotencySecret: Uint8Array;
  readonly clock: Clock;
  readonly random: () => number;
  /** Receives the outcome of an authorization whose response arrived after `authorize` had returned `unknown`. */
  readonly onLateOutcome: (request: ReferenceRequest, outcome: AuthorizationOutcome) => void;
};

/**
 * Checkout.com deletes idempotency keys after 24 hours, and then executes a repeated request again
 * (checkout.com/docs/developer-resources/api/idempotency).
 */
const replaySafeForMs = 24 * 60 * 60 * 1000;

/**
 * If an inquiry finds no payment within this time after the creation of the charge, the outcome stays unknown. The
 * request can still be on its way, and Checkout.com does not document when a new payment is listed.
 */
const listedWithinMs = 60 * 1000;

/** Returns a processor that sends the assignment's requests to Checkout.com. */
export function createCheckoutComProcessor(options: CheckoutComProcessorOptions): Processor {
  const { assignment, access, publicKey, clock, random } = options;
  const connection: CheckoutComConnection = {
    id: assignment.connection,
    idempotencySecret: options.idempotencySecret,
    channel: assignment.merchantAccount,
  };

  function send<Outcome extends { readonly kind: string }>(
    request: CheckoutComRequest,
    read: (response: HttpResponse) => Outcome | RetrySameRequest,
  ) {
    return sendRequest(access, request, null, read, { random });
  }

  /** Returns the request of a payment or a card verification. */
  function prepare(
    request: Omit<AuthorizeRequest, "capture" | "reference"> & { readonly reference: AttemptId },
    capture: boolean | null,
  ) {
    return paymentRequest(connection, {
      reference: request.reference,
      price: request.price,
      capture,
      hasSecurityCode: request.card.securityCode !== null,
      networkToken: request.card.networkToken ?? null,
      use: request.use ?? { kind: "once" },
      authentication: request.authentication,
      redirect: request.redirect ?? null,
      payer: request.payer ?? unknownPayer,
      descriptor: descriptorOf(request.statementDescriptor ?? null, assignment.descriptor),
      network: request.network ?? null,
    });
  }

  async function authorize(request: AuthorizeRequest): Promise<AuthorizationOutcome> {
    const { reference, price, card, network = null } = request;
    const prepared = prepare(request, request.capture);
    if ("kind" in prepared) return prepared;
    const sent = { reference, price, network };
    return sendRequest(
      access,
      prepared,
      card,
      (response) => authorizationOutcome(response, sent, clock.now()),
      { random, onLate: (outcome) => options.onLateOutcome(request, outcome) },
    );
  }

  /**
   * Exchanges the wallet's token for a Checkout.com token, and charges the Checkout.com token. The exchange moves no
   * money, so if it fails, no payment was made.
   */
  async function payWithToken(
    request: GatewayTokenRequest,
    key: string,
  ): Promise<AuthorizationOutcome> {
    const { reference, price, capture, wallet } = request;
    const exchange = { client: access.client, secretKey: new AcquirerSecret(key) };
    const result = await sendOnce(exchange, exchangeRequest(wallet), request.token);
    const exchanged =
      result.kind === "response" ? exchangeOutcome(result.response, wallet) : notSent;
    if (exchanged.kind !== "exchanged") return exchanged;
    const prepared = tokenPaymentRequest(connection, {
      ...{ reference, price, capture, token: exchanged.token },
      payer: request.payer ?? unknownPayer,
      descriptor: descriptorOf(request.statementDescriptor ?? null, assignment.descriptor),
    });
    if ("kind" in prepared) return prepared;
    const sent = { reference, price, network: null };
    return sendRequest(
      access,
      prepared,
      null,
      (response) => asTokenOutcome(authorizationOutcome(response, sent, clock.now()), response),
      { random, onLate: (outcome) => options.onLateOutcome(request, outcome) },
    );
  }

  async function verifyCard(request: VerifyCardRequest): Promise<AuthorizationOutcome> {
    const { reference, currency, card, network = null } = request;
    const price = { amountMinor: 0, currency };
    const prepared = prepare({ ...request, price }, null);
    if ("kind" in prepared) return prepared;
    const read = (response: HttpResponse) =>
      authorizationOutcome(response, { reference, price, network }, clock.now());
    return sendRequest(access, prepared, card, read, { random });
  }

  /**
   * Returns the outcome of an existing payment. A rejected or unsent request about it proves nothing about the payment,
   * which may be approved.
   */
  async function retrieve(
    payment: string,
    sent: SentPayment,
  ): Promise<Exclude<AuthorizationOutcome, Rejected> | Ended> {
    const found = await send(retrieveRequest(payment), (response) => foundOutcome(response, sent));
    switch (found.kind) {
      case "rejected":
      case "not_sent":
        return lost(found);
      case "not_approved":
        return explain(found, sent);
      default:
        return found;
    }
  }

  /**
   * Returns the decline of a payment with its response code, which only the actions of the payment contain. Returns
   * `ended` if the authorization was approved and has expired since then.
   */
  async function explain(
    found: NotApproved,
    sent: SentPayment,
  ): Promise<Exclude<AuthorizationOutcome, Rejected> | Ended> {
    const result = await readActions(found.id);
    if (result.kind === "unknown") return result;
    const code = authorizationCodeIn(result.actions);
    if (code !== null && Object.hasOwn(approvalCodes, code)) return { kind: "ended" };
    return decline(found, code, sent, clock.now());
  }

  async function readActions(
    payment: string,
  ): Promise<
    { readonly kind: "actions"; readonly actions: readonly JsonObject[] } | UnknownOutcome
  > {
    const result = await send(actionsRequest(payment), actionsOf);
    return result.kind === "rejected" || result.kind === "not_sent" ? lost(result) : result;
  }

  /**
   * Continues the payment after the cardholder's return. The value that the page added to the return URL is not used,
   * because a cardholder could replace it. The payment's own status decides.
   */
  async function resume({ reference, price, network, resume: payment }: ResumeRequest) {
    if (payment === null) return unknown("the payment's ID is not known");
    const outcome = await retrieve(payment, { reference, price, network });
    switch (outcome.kind) {
      case "ended":
        return { kind: "not_sent" } as const;
      // Checkout.com has not processed the result of the cardholder's authentication yet.
      case "requires_action":
        return { kind: "pending", acquirerReference: payment } as const;
      default:
        return outcome;
    }
  }

  /** Returns the ID of the charge's payment, or null if Checkout.com lists no payment with our reference. */
  async function findPayment({
    acquirerReference,
    reference,
  }: SentChargeRequest): Promise<
    { readonly kind: "found"; readonly id: string | null } | UnknownOutcome
  > {
    if (acquirerReference !== null) return { kind: "found", id: acquirerReference };
    const found = await send(searchRequest(reference), (response) =>
      searchOutcome(response, reference),
    );
    return found.kind === "rejected" || found.kind === "not_sent" ? lost(found) : found;
  }

  async function inquire(request: SentChargeRequest): Promise<InquiryOutcome> {
    const { reference, price } = request;
    const found = await findPayment(request);
    if (found.kind === "unknown") return found;
    if (found.id === null) {
      const ageMs = clock.now().getTime() - createdAt(reference).getTime();
      return ageMs < listedWithinMs
        ? unknown("the payment is not listed yet")
        : { kind: "not_found" };
    }
    const outcome = await retrieve(found.id, { reference, price, network: null });
    switch (outcome.kind) {
      case "ended":
        return { kind: "not_sent" };
      // The response with the redirect was lost, so the cardholder cannot authenticate. The payment expires.
      case "requires_action":
        return { kind: "pending", acquirerReference: found.id };
      default:
        return outcome;
    }
  }

  /**
   * Voids or refunds the payment. Checkout.com cannot cancel a payment by our reference, so a payment that is not found
   * may still arrive.
   */
  async function reverse(request: SentChargeRequest): Promise<ReversalOutcome> {
    const { reference: charge, attempt } = request;
    const found = await findPayment(request);
    if (found.kind === "unknown") return found;
    const payment = found.id;
    if (payment === null) return unknown("Checkout.com lists no payment with the reference");
    const step = await send(retrieveRequest(payment), (response) => reversalStep(response, charge));
    switch (step.kind) {
      case "reversed":
        return step;
      case "waiting":
        return { kind: "pending" };
      case "voids":
      case "refunds":
        return requestReversal(step.kind, { charge, payment, attempt });
      default:
        return lost(step);
    }
  }

  /** Requests the void or refund, unless an earlier one is still being processed. */
  async function requestReversal(
    kind: "voids" | "refunds",
    target: Parameters<typeof reversalRequest>[2],
  ): Promise<ReversalOutcome> {
    const reference = reversalReference(target.charge);
    const earlier = await readActions(target.payment);
    if (earlier.kind === "unknown") return earlier;
    if (reversalActionIn(earlier.actions, kind, reference)) return { kind: "pending" };
    const sent = await send(reversalRequest(connection, kind, target), (response) =>
      operationOutcome(response, { reference }),
    );
    return sent.kind === "pending" ? { kind: "pending" } : lost(sent);
  }

  async function operate(request: OperationRequest): Promise<OperationOutcome> {
    const { chargeReference: payment, reference } = request;
    if (payment === null) return unknown("the payment has no acquirer reference");
    const prepared = prepareOperation(connection, request, payment);
    if ("kind" in prepared) return prepared;
    const outcome = await send(prepared, (response) => operationOutcome(response, { reference }));
    if (outcome.kind !== "rejected" || outcome.why !== "invalid_request") return outcome;
    // Checkout.com also returns this error for an executed operation that is repeated after its key has expired.
    const found = await inquireOperation(request);
    if (found.kind !== "not_found") return found;
    const isEarly = request.kind === "refund" && (await readState(payment)).kind === "held";
    return isEarly ? unknown("the payment is not captured yet") : outcome;
  }

  /** Returns the state of the payment's authorization. */
  async function readState(payment: string) {
    const state = await send(retrieveRequest(payment), authorizationState);
    return state.kind === "rejected" || state.kind === "not_sent" ? lost(state) : state;
  }

  async function inquireOperation(request: OperationRequest) {
    const { chargeReference: payment, price } = request;
    if (payment === null) return unknown("the payment has no acquirer reference");
    const result = await readActions(payment);
    if (result.kind === "unknown") return result;
    const outcome = operationIn(result.actions, request, price.currency.toUpperCase());
    if (outcome.kind !== "not_found" || request.kind !== "void") return outcome;
    // An authorization that is not captured within seven days expires, and can then no longer be voided.
    const state = await readState(payment);
    if (state.kind === "unknown") return state;
    return state.kind === "released"
      ? ({ kind: "done", acquirerReference: null } as const)
      : outcome;
  }

  return {
    name: "checkout_com",
    assignmentId: assignment.id,
    replaySafeForMs,
    lookUp: () => ({ authentication: "optional", risk: "normal" }),
    authorize,
    authorizeGatewayToken:
      publicKey === null ? null : (request) => payWithToken(request, publicKey),
    verifyCard,
    resume,
    authorizesBeforeReturn: true,
    inquire,
    reverse,
    operate,
    inquireOperation,
    respondToDispute: (response) => respondToDispute(access, response),
    evidenceLimits,
    payOut: null,
    settlementFile: null,
  };
}

function prepareOperation(
  connection: CheckoutComConnection,
  { kind, reference, price }: OperationRequest,
  payment: string,
): CheckoutComRequest | Rejected {
  const target = { reference, payment, price };
  switch (kind) {
    case "capture":
      return captureRequest(connection, target);
    case "refund":
      return refundRequest(connection, target);
    case "void":
      return voidRequest(connection, target);
  }
}

const notSent: AuthorizationOutcome = { kind: "not_sent" };

function lost({ kind, ...more }: { readonly kind: string; readonly problem?: string }) {
  return unknown(more.problem ?? `the request was ${kind}`);
}
