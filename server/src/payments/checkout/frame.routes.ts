import { hash } from "node:crypto";
import { currencyNumber } from "@florin/contract/currency.ts";
import {
  type AppleSession,
  ConfirmSession,
  type SavedCard,
  StartAppleSession,
  StoreCard,
  StoreWalletToken,
} from "@florin/contract/frame.ts";
import { maxSavedCards } from "@florin/contract/payment-method.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import {
  type AcceptedCards,
  acceptCard,
  acceptWalletCard,
  type WalletPayer,
} from "../../acquiring/accept-card.ts";
import { isNumbered } from "../../cards/payment-methods/masked-card.ts";
import { listPaymentMethods } from "../../cards/payment-methods/payment-method.sql.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { parseId, type RequestId } from "../../core/ids.ts";
import type { Sql } from "../../platform/database/sql.ts";
import type { Access } from "../../platform/http/access.ts";
import { bearerOf } from "../../platform/http/bearer.ts";
import { pageOf } from "../../platform/http/list.ts";
import { createRateLimit } from "../../platform/http/rate-limit.ts";
import { readBodyAs, readIdempotency } from "../../platform/http/read-request.ts";
import { created, ok } from "../../platform/http/route.ts";
import { sendResponse } from "../../platform/http/send-response.ts";
import { wipeBodyAfterwards } from "../../platform/http/wipe-body.ts";
import { createTokenBuckets } from "../../platform/processes/token-buckets.ts";
import type { ApprovedAmount } from "../../vault/wallets/wallet-token.ts";
import { verifyCard } from "../card-verifications/verify-card.ts";
import { readRedirect } from "../charges/acquirer-redirect.sql.ts";
import { type CreateCharge, createCharge } from "../charges/create-charge.ts";
import { readSession, readSessionById } from "../sessions/checkout-session.sql.ts";
import {
  attemptOf,
  type CheckoutSession,
  isEnded,
  statusAt,
} from "../sessions/checkout-session.ts";
import { find } from "../three-d-secure/advance-authentication.ts";
import { cancelChallenge } from "../three-d-secure/authenticate-charge.ts";
import { endedFrameSession, frameSession } from "./frame-session.ts";
import { noAppleSession } from "./no-apple-session.ts";
import { offeredWallets } from "./offered-wallets.ts";
import { browserOf } from "./paying-browser.ts";
import { prepareConfirmation } from "./prepare-confirmation.ts";
import { prepareVerification } from "./prepare-verification.ts";
import { rejectedCard } from "./rejected-card.ts";
import { assertTakesCards } from "./rejected-session.ts";
import { rejectedWalletToken } from "./rejected-wallet-token.ts";
import type { SessionDeps } from "./session-deps.ts";
import { storeCard } from "./store-card.ts";
import { storeGatewayToken } from "./store-gateway-token.ts";

const access: Access = { authentication: "client_secret", limit: "cards" };
/**
 * The rate and the burst of one checkout session's requests to Apple. A customer opens the payment sheet a few times at
 * most.
 */
const appleSessionsPerSecond = 1;
const appleSessionBurst = 5;
const cardRequests = { ...wipeBodyAfterwards, config: { access } };

/**
 * Serves the private API of the card form, which is authenticated by the session's client secret. Only `POST
 * /vault/cards` accepts card numbers, and only `POST /vault/wallet_tokens` accepts encrypted ones. Both store them only
 * in the vault.
 */
export function serveFrameApi(app: FastifyInstance, deps: SessionDeps): void {
  const { charges, accounts, wallets, clientSecrets, environment, siblings } = deps;
  const { database, clock, links } = charges;
  const countAppleSession = createRateLimit(
    appleSessionsPerSecond,
    { burst: appleSessionBurst, counted: "requests for merchant sessions" },
    createTokenBuckets("apple pay sessions", siblings),
  );

  app.get<{ Params: { id: string } }>(
    "/embed/api/checkout_sessions/:id",
    async (request, reply) => {
      const session = await authenticatedSession(request, request.params.id);
      return sendResponse(reply, ok(await shown(session)));
    },
  );

  app.post<{ Params: { id: string } }>(
    "/embed/api/checkout_sessions/:id/confirm",
    wipeBodyAfterwards,
    async (request, reply) => {
      const session = await authenticatedSession(request, request.params.id);
      const body = readBodyAs(request, ConfirmSession);
      // Excludes the security code from the idempotency fingerprint. The fingerprint is stored, and a three-digit code
      // can be recovered from a hash by brute force (PCI DSS requirement 3.3.1).
      const { cvc, ...identified } = body;
      const idempotency = readIdempotency(request, identified);
      if (!idempotency) {
        throw new ApiError(
          "parameter_missing",
          "The Idempotency-Key header is missing. Send a new key for each attempt, and the same key when you repeat a request.",
          {
            param: "Idempotency-Key",
          },
        );
      }
      const confirmation = {
        paymentMethodId: body.payment_method_id,
        save: body.save_payment_method ?? false,
        securityCode: cvc ?? null,
        browser: browserOf(request),
        requestId: request.id as RequestId,
        // The key is prefixed with the session ID, because keys are unique per account. Otherwise a browser could claim
        // a key that the merchant's server uses.
        idempotency: { ...idempotency, key: `${session.id} ${hash("sha256", idempotency.key)}` },
      };
      if (session.mode === "setup") {
        const prepared = prepareVerification(deps, session, confirmation);
        const command = await rejectOnlyIfOpen(database.read, session, prepared);
        if (command) await verifyCard(charges, command);
      } else {
        const prepared = prepareConfirmation(deps, session, confirmation);
        const command = await rejectOnlyIfOpen(database.read, session, prepared);
        if (command) await chargeOnce(command);
      }
      const after = await readSession(database.read, session.scope, session.id);
      return sendResponse(reply, ok(await shown(after ?? session)));
    },
  );

  app.post<{ Params: { id: string } }>(
    "/embed/api/checkout_sessions/:id/cancel_challenge",
    async (request, reply) => {
      const session = await authenticatedSession(request, request.params.id);
      await cancelChallenge(charges, session);
      const after = await readSession(database.read, session.scope, session.id);
      return sendResponse(reply, ok(await shown(after ?? session)));
    },
  );

  app.post<{ Params: { id: string } }>(
    "/embed/api/checkout_sessions/:id/apple_pay_session",
    async (request, reply) => {
      const session = await authenticatedSession(request, request.params.id);
      const body = readBodyAs(request, StartAppleSession);
      assertTakesCards(session, clock.now());
      if (session.mode === "setup") throw noAppleSession("not_offered");
      await countAppleSession(session.id);
      const result = await wallets.startAppleSession(session.scope, {
        session: session.id,
        validationUrl: body.validation_url,
        domain: body.domain,
      });
      if (result.kind !== "session") throw noAppleSession(result.kind);
      const shownSession: AppleSession = { merchant_session: { ...result.session } };
      return sendResponse(reply, ok(shownSession));
    },
  );

  app.post("/vault/cards", cardRequests, async (request, reply) => {
    const body = readBodyAs(request, StoreCard);
    const session = await authenticatedSession(request, body.checkout_session_id);
    assertTakesCards(session, clock.now());
    const accepted = acceptCard(typedCard(body, session), cardsOf(session), clock.now());
    if (accepted.kind === "problem") throw rejectedCard(accepted.problem);
    const stored = await storeCard(deps, session, accepted.card, {
      network: body.network ?? null,
      billingCountry: body.country ?? null,
      wallet: null,
    });
    return sendResponse(reply, created(stored));
  });

  app.post("/vault/wallet_tokens", cardRequests, async (request, reply) => {
    const body = readBodyAs(request, StoreWalletToken);
    const session = await authenticatedSession(request, body.checkout_session_id);
    assertTakesCards(session, clock.now());
    if (session.mode === "setup") throw noWalletInSetup();
    if (body.assignment !== undefined) {
      const { wallet, assignment, token } = body;
      if (wallet === "test_wallet") throw noGatewayOfTestWallet();
      const payer = walletPayer(session);
      const stored = await storeGatewayToken(deps, session, { wallet, assignment, token, payer });
      return sendResponse(reply, created(stored));
    }
    const decrypted = await wallets.decrypt(session.scope, body.wallet, body.token);
    if (decrypted.kind === "rejected") throw rejectedWalletToken(decrypted.reason);
    const { credential, wallet, tokenId, expiresAt, approved } = decrypted;
    if (approved && !isAmountOf(session, approved)) throw rejectedWalletToken("other_amount");
    const payer = walletPayer(session);
    const accepted = acceptWalletCard(credential, payer, cardsOf(session), clock.now());
    if (accepted.kind === "problem") throw rejectedCard(accepted.problem);
    const stored = await storeCard(deps, session, accepted.card, {
      network: null,
      billingCountry: payer.holder?.country ?? null,
      wallet: { type: wallet, token: { tokenId, expiresAt } },
    });
    return sendResponse(reply, created(stored));
  });

  function cardsOf({ scope }: CheckoutSession): AcceptedCards {
    const ofLiveMode = environment === "sandbox" ? "all_cards" : "real_cards";
    return scope.livemode ? ofLiveMode : "test_cards";
  }

  /**
   * Charges the session once. The insert of the charge moves the session from `open` to `processing` by
   * compare-and-set, so only one of two concurrent requests creates a charge. Both requests return the resulting
   * session.
   */
  async function chargeOnce(command: CreateCharge): Promise<void> {
    const { scope, idempotency } = command;
    const charged = await createCharge(charges, command);
    // `replay` throws if the key was used with a different request. For a retry of the same request, the route returns
    // the current session.
    if (!charged && idempotency) await charges.idempotencyKeys.replay(scope, idempotency);
  }

  /**
   * Returns the session. Throws if the request does not have the session's client secret. The error is the same for a
   * wrong secret and a wrong ID.
   */
  async function authenticatedSession(
    request: FastifyRequest,
    text: string,
  ): Promise<CheckoutSession> {
    const id = parseId("cs", text);
    const session = id && (await readSessionById(database.read, id));
    if (!session || !clientSecrets.matches(session.scope, session.id, bearerOf(request))) {
      throw noSuch("checkout session", text);
    }
    return session;
  }

  async function shown(session: CheckoutSession) {
    const account = await accounts.get(session.scope.account);
    const { scope } = session;
    const attemptId = attemptOf(session);
    const authentication = attemptId && (await find(charges.threeDSecure, scope, attemptId));
    const now = clock.now();
    const status = statusAt(session, now);
    if (isEnded(status)) return endedFrameSession(session, status, account, authentication, now);
    const isRedirected =
      status === "requires_action" &&
      attemptId !== null &&
      authentication === null &&
      (await readRedirect(database.read, { scope, id: attemptId })) !== null;
    const found = { authentication, isRedirected };
    return {
      ...frameSession(session, account, found, { links, environment, now }),
      saved_cards: await savedCards(database.read, session, now),
      wallets: await offeredWallets(deps, session, account),
    };
  }
}

/**
 * Returns the card that the customer typed. Fields that the form did not request are taken from the session's billing
 * details. The name is stored only in encrypted form, with the card.
 */
function typedCard(body: StoreCard, { details }: CheckoutSession) {
  const { name, phone, address: known } = details.billing_details ?? {};
  return {
    number: body.number,
    expMonth: body.exp_month,
    expYear: body.exp_year,
    securityCode: body.cvc,
    postalCode: body.postal_code ?? known?.postal_code ?? null,
    addressLine1: known?.line1 ?? null,
    holder: {
      name: body.name ?? name ?? null,
      phone: phone ?? null,
      city: known?.city ?? null,
      state: known?.state ?? null,
      country: body.country ?? known?.country ?? null,
    },
  };
}

function noWalletInSetup(): ApiError {
  return new ApiError(
    "parameter_invalid",
    "`checkout_session_id` must not be a session of mode `setup`, because a wallet token can be charged only once and cannot be saved. Send the fields of a card.",
    { param: "checkout_session_id" },
  );
}

/**
 * Returns the prepared confirmation. If it was rejected and the session is no longer open, returns null, as for a
 * session that was not open at the start. For example, another confirmation may have paid and saved the card after this
 * one read the session. The card is then rejected because it is already saved, but the customer must see the outcome of
 * the session.
 */
async function rejectOnlyIfOpen<Command>(
  read: Sql,
  { scope, id }: CheckoutSession,
  prepared: Promise<Command | null>,
): Promise<Command | null> {
  try {
    return await prepared;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const session = await readSession(read, scope, id);
    if (session === null || session.status === "open") throw error;
    return null;
  }
}

function noGatewayOfTestWallet(): ApiError {
  return new ApiError(
    "parameter_invalid",
    "`wallet` must be `google_pay` or `apple_pay` if `assignment` is set, because no acquirer decrypts the tokens of the test wallet. Leave `assignment` out.",
    { param: "wallet" },
  );
}

/** Returns whether the customer has approved the session's amount on the device. */
function isAmountOf({ price }: CheckoutSession, approved: ApprovedAmount): boolean {
  const { amountMinor, currencyNumber: currency } = approved;
  return amountMinor === price.amountMinor && currency === currencyNumber(price.currency);
}

/** Returns the details of the payer, which a wallet's token does not contain. */
function walletPayer({ details }: CheckoutSession): WalletPayer {
  const { name, phone, address } = details.billing_details ?? {};
  return {
    postalCode: address?.postal_code ?? null,
    addressLine1: address?.line1 ?? null,
    holder: {
      name: name ?? null,
      phone: phone ?? null,
      city: address?.city ?? null,
      state: address?.state ?? null,
      country: address?.country ?? null,
    },
  };
}

/**
 * Returns the saved cards with which the customer can pay for the session, without expired cards and duplicate card
 * numbers.
 */
async function savedCards(
  read: Sql,
  { scope, customerId, status, mode }: CheckoutSession,
  now: Date,
): Promise<SavedCard[]> {
  if (!customerId || status === "complete" || mode === "setup") return [];
  const page = pageOf({ limit: maxSavedCards }, "pm");
  const methods = await listPaymentMethods(read, scope, page, { customer: customerId });
  const numbers = new Set<string>();
  return methods.flatMap(({ id, card }) => {
    if (!isNumbered(card)) return [];
    const { brand, last4, exp_month, exp_year, fingerprint } = card;
    const expired = Date.UTC(exp_year, exp_month) <= now.getTime();
    if (expired || numbers.has(fingerprint)) return [];
    numbers.add(fingerprint);
    return [{ payment_method_id: id, brand, last4, exp_month, exp_year }];
  });
}
