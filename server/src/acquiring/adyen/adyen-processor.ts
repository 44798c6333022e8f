import type { Clock } from "../../core/clock.ts";
import { GatewayToken } from "../../vault/card-number.ts";
import type { AcquirerClient } from "../acquirer-client.ts";
import type { Assignment } from "../connections/assignment.ts";
import type { AcquirerSecret } from "../connections/connection-secrets.ts";
import { type RequestCard, serializeWithCard } from "../fill-card.ts";
import type {
  AuthorizationOutcome,
  HttpResponse,
  OperationOutcome,
  RetrySameRequest,
  UnknownOutcome,
} from "../outcome.ts";
import {
  type AuthorizeRequest,
  type GatewayTokenRequest,
  type OperationRequest,
  type Processor,
  type ReferenceRequest,
  type SentChargeRequest,
  unknownPayer,
  type VerifyCardRequest,
} from "../processor.ts";
import { sendUntilProcessed } from "../send-until-processed.ts";
import { documentLimits } from "./dispute-service.ts";
import {
  type AdyenConnection,
  type AdyenRequest,
  type AuthenticationChoice,
  authorizeRequest,
  cancelRequest,
  captureRequest,
  detailsRequest,
  gatewayTokenRequest,
  type PreparedRequest,
  refundRequest,
  reverseRequest,
  technicalCancelRequest,
  verifyRequest,
} from "./requests.ts";
import { respondToDispute } from "./respond-to-dispute.ts";
import { authorizationOutcome, operationOutcome } from "./responses.ts";

export type AdyenProcessorOptions = {
  readonly assignment: Assignment;
  readonly apiKey: AcquirerSecret;
  /** The secret from which the idempotency keys are derived. It must not change. */
  readonly idempotencySecret: Uint8Array;
  readonly client: AcquirerClient;
  /** The path of the API on the client's host, such as `/v72`. */
  readonly basePath: string;
  /** The client for Adyen's DisputeService, whose host differs from that of the payments API. */
  readonly disputes: { readonly client: AcquirerClient; readonly basePath: string };
  readonly clock: Clock;
  readonly random: () => number;
  /** The return URL of a request without a redirect. Adyen requires a return URL in every request. */
  readonly defaultReturnUrl: string;
  /** Receives the outcome of an authorization whose response arrived after `authorize` had returned `unknown`. */
  readonly onLateOutcome: (request: ReferenceRequest, outcome: AuthorizationOutcome) => void;
};

/** Adyen keeps idempotency keys for at least seven days (docs.adyen.com/development-resources/api-idempotency). */
const replaySafeForMs = 7 * 24 * 60 * 60 * 1000;

/** Returns a processor that sends the assignment's requests to Adyen. */
export function createAdyenProcessor(options: AdyenProcessorOptions): Processor {
  const { assignment, apiKey, client, basePath, clock, random } = options;
  const connection: AdyenConnection = {
    id: assignment.connection,
    merchantAccount: assignment.merchantAccount,
    idempotencySecret: options.idempotencySecret,
  };

  /** Sends a request, and repeats it if Adyen has not processed it (`sendUntilProcessed`). */
  function send<Outcome extends { readonly kind: string }>(
    request: AdyenRequest,
    card: RequestCard,
    read: (response: HttpResponse) => Outcome | RetrySameRequest,
    onLate?: (outcome: Outcome) => void,
  ) {
    const body = serializeWithCard(request.body, card);
    return sendUntilProcessed(
      (onLateResponse) =>
        client.send({
          method: "POST",
          path: `${basePath}${request.path}`,
          headers: {
            "content-type": "application/json",
            "x-api-key": apiKey.reveal(),
            "idempotency-key": request.idempotencyKey,
          },
          body,
          onLateResponse,
        }),
      read,
      { random, ...(onLate && { onLate }) },
    );
  }

  /** Returns the fields that a payment and a card verification have in common. */
  function payment(request: Omit<AuthorizeRequest, "price" | "capture"> | VerifyCardRequest) {
    return {
      ...termsOf(request),
      reference: request.reference,
      hasSecurityCode: request.card.securityCode !== null,
      use: request.use ?? { kind: "once" },
      authentication: authenticationOf(request),
      returnUrl: request.redirect?.returnUrl ?? options.defaultReturnUrl,
    } as const;
  }

  function termsOf(request: Pick<AuthorizeRequest, "payer" | "statementDescriptor">) {
    return {
      payer: request.payer ?? unknownPayer,
      descriptor: request.statementDescriptor ?? assignment.descriptor,
      mcc: assignment.mcc,
    };
  }

  async function authorize(request: AuthorizeRequest): Promise<AuthorizationOutcome> {
    const { reference, price, capture, network = null } = request;
    const prepared = authorizeRequest(connection, { ...payment(request), price, capture });
    if (prepared.kind === "rejected") return prepared;
    const sent = { reference, price, network };
    return send(
      prepared.request,
      request.card,
      (response) => authorizationOutcome(response, sent, clock.now()),
      (outcome) => options.onLateOutcome(request, outcome),
    );
  }

  async function authorizeGatewayToken(
    request: GatewayTokenRequest,
  ): Promise<AuthorizationOutcome> {
    const { reference, price, capture, wallet, token } = request;
    const prepared = gatewayTokenRequest(connection, {
      ...termsOf(request),
      ...{ reference, price, capture, wallet, returnUrl: options.defaultReturnUrl },
    });
    if (prepared.kind === "rejected") return prepared;
    const sent = { reference, price, network: null, isGatewayToken: true };
    return send(
      prepared.request,
      encoded(wallet, token),
      (response) => authorizationOutcome(response, sent, clock.now()),
      (outcome) => options.onLateOutcome(request, outcome),
    );
  }

  async function verifyCard(request: VerifyCardRequest): Promise<AuthorizationOutcome> {
    const { reference, currency, network = null } = request;
    const prepared = verifyRequest(connection, { ...payment(request), currency });
    if (prepared.kind === "rejected") return prepared;
    const sent = { reference, price: { amountMinor: 0, currency }, network };
    return send(prepared.request, request.card, (response) =>
      authorizationOutcome(response, sent, clock.now()),
    );
  }

  async function operate(request: OperationRequest): Promise<OperationOutcome> {
    const { reference, chargeReference: payment } = request;
    if (payment === null) return unknown("the payment has no acquirer reference");
    return sendOperation(prepareOperation(connection, request, payment), { reference, payment });
  }

  async function sendOperation(
    prepared: PreparedRequest,
    { reference, payment }: { readonly reference: string; readonly payment: string },
  ): Promise<OperationOutcome> {
    if (prepared.kind === "rejected") return prepared;
    const sent = { merchantAccount: connection.merchantAccount, reference, payment };
    return send(prepared.request, null, (response) => operationOutcome(response, sent));
  }

  /**
   * Requests the reversal of a payment. If the payment's `pspReference` is not known, requests its cancellation by our
   * reference instead. A notification reports the result.
   */
  async function reverse({ reference, acquirerReference, attempt, series }: SentChargeRequest) {
    const outcome =
      acquirerReference === null
        ? await sendOperation(technicalCancelRequest(connection, { charge: reference, attempt }), {
            reference,
            payment: reference,
          })
        : await sendOperation(
            reverseRequest(connection, { reference, paymentReference: acquirerReference, series }),
            { reference, payment: acquirerReference },
          );
    if (outcome.kind === "pending") return { kind: "pending" } as const;
    return outcome.kind === "unknown" ? outcome : unknown(`the reversal was ${outcome.kind}`);
  }

  return {
    name: "adyen",
    assignmentId: assignment.id,
    replaySafeForMs,
    lookUp: () => ({ authentication: "optional", risk: "normal" }),
    authorize,
    authorizeGatewayToken,
    verifyCard,
    authorizesBeforeReturn: false,

    async resume({ reference, price, network = null, redirectResult, resume }) {
      const prepared = detailsRequest(connection, { attempt: reference, redirectResult, resume });
      if (prepared.kind === "rejected") return prepared;
      const sent = { reference, price, network };
      return send(prepared.request, null, (response) =>
        authorizationOutcome(response, sent, clock.now()),
      );
    },
    inquire: null,
    reverse,
    operate,
    inquireOperation: null,
    respondToDispute: (response) =>
      respondToDispute(
        { ...options.disputes, apiKey, merchantAccount: assignment.merchantAccount },
        response,
      ),
    evidenceLimits: documentLimits,
    payOut: null,
    settlementFile: null,
  };
}

function prepareOperation(
  connection: AdyenConnection,
  { kind, reference, price }: OperationRequest,
  paymentReference: string,
): PreparedRequest {
  const target = { reference, paymentReference };
  switch (kind) {
    case "capture":
      return captureRequest(connection, { ...target, price });
    case "refund":
      return refundRequest(connection, { ...target, price });
    case "void":
      return cancelRequest(connection, target);
  }
}

function authenticationOf({
  authentication,
  card,
  redirect,
}: Pick<AuthorizeRequest, "authentication" | "card" | "redirect">): AuthenticationChoice {
  if (card.networkToken) return { kind: "device", eci: card.networkToken.eci };
  if (authentication) {
    return {
      kind: "external",
      data: authentication,
      // The charge stores the result of an external authentication, but not whether a challenge was required.
      challenged: false,
      statusReason: null,
      exemption: null,
    };
  }
  return redirect
    ? { kind: "acquirer", required: redirect.required }
    : { kind: "none", exemption: null };
}

/** Returns the token as Adyen expects it: Google Pay's as it is, and Apple Pay's in base64 (CheckoutService-v72.json). */
function encoded(wallet: GatewayTokenRequest["wallet"], token: GatewayToken): GatewayToken {
  return wallet === "google_pay"
    ? token
    : new GatewayToken(Buffer.from(token.reveal()).toString("base64"));
}

function unknown(problem: string): UnknownOutcome {
  return { kind: "unknown", why: "invalid_response", problem };
}
