import { randomUUID } from "node:crypto";
import { noDetails } from "../../src/acquiring/outcome.ts";
import type { Mutation } from "../simulation/mutation.ts";

/** A mutation of the code for live acquirers, and the test that must detect it. */
export type ConformanceMutant = Mutation & {
  /** The path of the test file from this folder, without its suffix. */
  readonly suite:
    | "acquirers"
    | "adyen-notifications"
    | "adyen-clock"
    | "adyen-cardholders"
    | "../api/gateway-tokens";
  /** A part of the title of the test that must fail. */
  readonly caughtBy: string;
};

export const conformanceMutants: readonly ConformanceMutant[] = [
  {
    name: "a card verification without a response counts as an approval",
    replace: {
      "payments/card-verifications/card-verification.ts": {
        verificationAfter: (original) => (verification, response, now) =>
          original(
            verification,
            response.kind === "unknown"
              ? { kind: "approved", approvedMinor: 0, details: noDetails }
              : response,
            now,
          ),
      },
    },
    suite: "acquirers",
    caughtBy: "response cut",
  },
  {
    name: "each request to an acquirer has a new idempotency key",
    replace: { "acquiring/idempotency-key.ts": { idempotencyKey: () => () => randomUUID() } },
    suite: "adyen-clock",
    caughtBy: "nothing is executed twice",
  },
  {
    name: "operations are sent again after their idempotency keys have expired at Adyen",
    replace: {
      "acquiring/adyen/adyen-processor.ts": {
        createAdyenProcessor: (original) => (options) => ({
          ...original(options),
          replaySafeForMs: Number.POSITIVE_INFINITY,
        }),
      },
    },
    suite: "adyen-clock",
    caughtBy: "no request is sent again after its idempotency key has expired at Adyen",
  },
  {
    name: "a failed cancellation by reference counts as the reversal of the payment",
    replace: {
      "acquiring/adyen/webhooks.ts": {
        notificationOf: (original) => (item, now) => {
          const notification = original(item, now);
          const { event } = notification;
          if (event.kind !== "technical_cancellation") return notification;
          return { ...notification, event: { ...event, succeeded: true } };
        },
      },
    },
    suite: "acquirers",
    caughtBy: "both ledgers contain the same money",
  },
  {
    name: "the receipt of a reversal counts as its confirmation",
    replace: {
      "acquiring/adyen/adyen-processor.ts": {
        createAdyenProcessor: (original) => (options) => {
          const processor = original(options);
          return {
            ...processor,
            async reverse(request) {
              await processor.reverse(request);
              return { kind: "reversed" };
            },
          };
        },
      },
    },
    suite: "acquirers",
    caughtBy: "both ledgers contain the same money",
  },
  {
    name: "a response of a proxy counts as a declined payment",
    replace: {
      "acquiring/adyen/responses.ts": {
        authorizationOutcome: (original) => (response, sent, now) =>
          response.status === 502 ? { kind: "not_sent" } : original(response, sent, now),
      },
    },
    suite: "acquirers",
    caughtBy: "502 after the execution",
  },
  {
    name: "the approval of a reversed payment needs an operator",
    replace: {
      "payments/notifications/acquirer-notification.sql.ts": {
        isReversed: () => async () => false,
      },
    },
    suite: "acquirers",
    caughtBy: "lost response and notification",
  },
  {
    name: "the late failure of a capture changes nothing",
    replace: {
      "payments/operations/fail-capture.ts": { failCapture: () => async () => "unchanged" },
    },
    suite: "adyen-notifications",
    caughtBy: "that fails later is failed once",
  },
  {
    name: "a capture that Adyen repeated is treated as the one that failed",
    replace: {
      "payments/notifications/acquirer-notification.sql.ts": {
        hasFailedLater: () => async () => true,
      },
    },
    suite: "adyen-notifications",
    caughtBy: "a capture that Adyen repeats after its failure is shown to an operator",
  },
  {
    name: "the values of a notification are not compared with what was sent",
    replace: { "acquiring/live-notification.ts": { mismatchOf: () => () => null } },
    suite: "adyen-notifications",
    caughtBy: "a refund notification with a wrong amount goes to review",
  },
  {
    name: "signatures of notifications are not verified",
    replace: { "acquiring/adyen/webhooks.ts": { isAuthentic: () => () => true } },
    suite: "adyen-notifications",
    caughtBy: "an unknown key signed",
  },
  {
    name: "a notification with a wrong value replaces the right one",
    replace: {
      "acquiring/adyen/webhooks.ts": {
        deduplicationKeyOf:
          () =>
          ({ eventCode, pspReference, success }) =>
            `${eventCode} ${pspReference} ${success}`,
      },
    },
    suite: "adyen-notifications",
    caughtBy: "the correct one completes the charge",
  },
  {
    name: "a charge is not failed after the cardholder's deadline at Adyen",
    replace: {
      "payments/charges/inquiry-schedule.ts": {
        challengeExpiry: (original) => (id) => new Date(original(id).getTime() + 86_400_000),
      },
    },
    suite: "adyen-cardholders",
    caughtBy: "if the cardholder never returns",
  },
  {
    name: "a payment with a gateway token counts as rejected if a proxy responds",
    replace: {
      "acquiring/stripe/responses.ts": {
        asTokenOutcome: (original) => (outcome, response) =>
          outcome.kind === "unknown"
            ? { kind: "rejected", why: "wallet_token", acquirerErrorCode: null }
            : original(outcome, response),
      },
    },
    suite: "acquirers",
    caughtBy: "502 after the execution",
  },
  {
    name: "Stripe charges a token that no wallet created",
    replace: { "acquiring/stripe/wallet-tokens.ts": { rejectToken: () => () => null } },
    suite: "../api/gateway-tokens",
    caughtBy: "a token at Stripe that no wallet created is rejected",
  },
  {
    name: "a gateway token is sent over any of the merchant's connections",
    replace: {
      "cards/payment-methods/payment-methods.ts": {
        routedCard: (original) => (method) => {
          const { onlyAssignment, ...card } = original(method);
          return card;
        },
      },
    },
    suite: "../api/gateway-tokens",
    caughtBy: "is not sent over another connection",
  },
];
