import { type DigitalWallet, digitalWallets } from "@florin/contract/payment-method.ts";
import { walletNames } from "@florin/contract/wallet-names.ts";
import { newId } from "../core/ids.ts";
import type { Money } from "../core/money.ts";
import {
  type CardCredentials,
  CardNumber,
  GatewayToken,
  SecurityCode,
} from "../vault/card-number.ts";
import type { CertificationCheck, CertificationRun, Finding } from "./certification.ts";
import type { AuthorizationOutcome } from "./outcome.ts";
import type { AuthorizeRequest, OperationKind, OperationRequest } from "./processor.ts";

/** Thrown if the acquirer did not behave as the connector expects. The message becomes the finding. */
export class CheckFailed extends Error {}

export type ApprovedPayment = { readonly request: AuthorizeRequest; readonly payment: string };

type TestPayment = Pick<AuthorizeRequest, "capture"> & Partial<AuthorizeRequest>;

export function passed(found: string): Finding {
  return { status: "passed", found };
}

export function unexpected(
  expected: string,
  outcome: { readonly kind: string } & object,
): CheckFailed {
  const detail = Object.entries(outcome)
    .filter(([name, value]) => name !== "details" && typeof value === "string")
    .map(([, value]) => value);
  return new CheckFailed(`Expected '${expected}'. The acquirer's response: ${detail.join(", ")}.`);
}

/** Returns an inquiry about a test payment, as if its response had been lost. */
export function sentOf({ account, reference, price, capture }: AuthorizeRequest) {
  const keys = { attempt: "0.1", series: "0" };
  const lost = { acquirerReference: null, statementDescriptor: null };
  return { account, reference, price, capture, ...lost, ...keys };
}

/** The requests of a certification, all with the same price. */
export type CertificationPayments = ReturnType<typeof createCertificationPayments>;

export function createCertificationPayments(run: CertificationRun, price: Money) {
  const checks: CertificationCheck[] = [];

  /** Runs a check and reports it. */
  async function check(name: string, title: string, find: () => Promise<Finding>): Promise<void> {
    const finding = await find().catch((error: unknown): Finding => {
      if (error instanceof CheckFailed) return { status: "failed", found: error.message };
      throw error;
    });
    const done = { name, title, ...finding };
    checks.push(done);
    run.onCheck(done);
  }

  function requestOf(number: string, more: TestPayment): AuthorizeRequest {
    const { account } = run.assignment;
    const now = run.clock.now();
    const card = cardOf(number, now);
    return { account, reference: newId("ch", now), price, card, authentication: null, ...more };
  }

  function authorize(number: string, more: TestPayment): Promise<AuthorizationOutcome> {
    return run.processor.authorize(requestOf(number, more));
  }

  async function approve(number: string, more: TestPayment): Promise<ApprovedPayment> {
    const request = requestOf(number, more);
    const outcome = await run.processor.authorize(request);
    if (outcome.kind !== "approved") throw unexpected("approved", outcome);
    return { request, payment: outcome.details.acquirerReference as string };
  }

  async function decline(number: string, code: string, more: Partial<TestPayment> = {}) {
    const outcome = await authorize(number, { capture: true, ...more });
    if (outcome.kind !== "declined" || outcome.code !== code) throw unexpected(code, outcome);
  }

  /** Requests an operation. Returns the request, from which an inquiry about the operation is built. */
  async function operate(
    kind: OperationKind,
    { request, payment: chargeReference }: ApprovedPayment,
    amountMinor: number,
  ): Promise<OperationRequest> {
    const { account, reference: charge } = request;
    const reference = newId("op", run.clock.now());
    const amount = { amountMinor, currency: price.currency };
    const operation = { account, reference, kind, charge, chargeReference, price: amount };
    const outcome = await run.processor.operate(operation);
    if (outcome.kind !== "done" && outcome.kind !== "pending") throw unexpected("done", outcome);
    return operation;
  }

  /** Waits until events about all references have arrived. `advice` is shown if one is missing. */
  async function awaitEvents(references: readonly string[], advice: string): Promise<Finding> {
    const until = performance.now() + run.waitMs;
    for (;;) {
      const items = await run.readItems(references);
      const arrived = new Set(items.map(({ merchantReference }) => merchantReference));
      const missing = references.filter((reference) => !arrived.has(reference));
      if (missing.length === 0) return passed(`${items.length} events arrived.`);
      if (performance.now() >= until) {
        const found = `No event about ${missing.join(", ")} arrived. ${advice}`;
        return { status: "not_seen", found };
      }
      await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
    }
  }

  /**
   * Checks that each wallet can be offered. Sends a token that the acquirer cannot decrypt, because only a wallet can
   * create a valid one. The check passes only if the acquirer rejects the token, instead of the whole request or the
   * public key.
   */
  async function checkWallets(tokens: Readonly<Record<DigitalWallet, string>>): Promise<void> {
    for (const wallet of digitalWallets) {
      const title = walletNames[wallet];
      await check(wallet, `Tokens of ${title} are accepted`, async () => {
        const { authorizeGatewayToken } = run.processor;
        if (!run.gatewayWallets.has(wallet) || authorizeGatewayToken === null) {
          const found = `${title} cannot be offered over this connection, because the acquirer does not decrypt its tokens or the public key is missing.`;
          return { status: "skipped", found };
        }
        const { account } = run.assignment;
        const reference = newId("ch", run.clock.now());
        const token = new GatewayToken(tokens[wallet]);
        const request = { account, reference, price, capture: false, wallet, token };
        const outcome = await authorizeGatewayToken(request);
        if (outcome.kind !== "rejected" || outcome.why !== "wallet_token") {
          throw unexpected("rejected, wallet_token", outcome);
        }
        return passed(`${title} can be offered. The acquirer rejected an invalid token.`);
      });
    }
  }

  return {
    checks,
    check,
    checkWallets,
    requestOf,
    authorize,
    approve,
    decline,
    operate,
    awaitEvents,
  };
}

const pollEveryMs = 500;

/** Tokens of the right form that no acquirer can decrypt. */
export const invalidTokens: Readonly<Record<DigitalWallet, string>> = {
  google_pay: JSON.stringify({
    protocolVersion: "ECv2",
    signature: base64(71),
    intermediateSigningKey: {
      signedKey: JSON.stringify({ keyValue: base64(91), keyExpiration: "2145916800000" }),
      signatures: [base64(71)],
    },
    signedMessage: JSON.stringify({
      encryptedMessage: base64(256),
      ephemeralPublicKey: base64(65),
      tag: base64(32),
    }),
  }),
  apple_pay: JSON.stringify({
    version: "EC_v1",
    data: base64(256),
    signature: base64(1_200),
    header: {
      ephemeralPublicKey: base64(91),
      publicKeyHash: base64(32),
      transactionId: "00".repeat(32),
    },
  }),
};

/** Returns the base64 of bytes that are not a valid signature, key or ciphertext. */
function base64(length: number): string {
  return Buffer.alloc(length, "certify").toString("base64");
}

function cardOf(number: string, now: Date): CardCredentials {
  return {
    number: new CardNumber(number),
    expMonth: 12,
    expYear: now.getUTCFullYear() + 3,
    securityCode: new SecurityCode("123"),
    postalCode: null,
    addressLine1: null,
  };
}
