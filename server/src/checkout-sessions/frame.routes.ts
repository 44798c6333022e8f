import { hash } from "node:crypto";
import { ConfirmSession, StoreCard } from "@florin/contract/frame.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { processorOf } from "../charges/prepare-charge.ts";
import type { Tx } from "../database/sql.ts";
import type { Access } from "../http/access.ts";
import { bearerOf } from "../http/bearer.ts";
import { readBodyAs, readIdempotency } from "../http/read-request.ts";
import { created, ok } from "../http/route.ts";
import { sendAnswer } from "../http/server.ts";
import { wipeBodyAfterwards } from "../http/wipe-body.ts";
import { insertPaymentMethod } from "../payment-methods/payment-method.sql.ts";
import { ApiError, noSuch } from "../primitives/api-error.ts";
import { parseId, type RequestId } from "../primitives/ids.ts";
import { acceptCard } from "../processors/accept-card.ts";
import { find } from "../three-d-secure/advance.ts";
import { browserOf } from "./browser-of.ts";
import { cancelChallenge } from "./cancel-challenge.ts";
import { readSession, readSessionById, takeCardPlace } from "./checkout-session.sql.ts";
import { type CheckoutSession, isEnded, maxCardsPerSession, statusAt } from "./checkout-session.ts";
import { confirmSession } from "./confirm-session.ts";
import { notOpen } from "./expire-session.ts";
import { endedFrameSession, frameSession } from "./frame-session.ts";
import { rejectedCard } from "./rejected-card.ts";
import { savedCards } from "./saved-cards.ts";
import type { SessionDeps } from "./session-deps.ts";

const access: Access = { authentication: "client_secret", limit: "cards" };
const typedCards = { ...wipeBodyAfterwards, config: { access } };

/**
 * The private API of the card form, under the session's client secret. Card data comes in through one of these
 * routes only, and goes from it into the vault and nowhere else (spec §1.3).
 */
export function serveFrameApi(app: FastifyInstance, deps: SessionDeps): void {
  const { charges, accounts, vault, clientSecrets } = deps;
  const { database, clock, links } = charges;

  app.get<{ Params: { id: string } }>(
    "/embed/api/checkout_sessions/:id",
    async (request, reply) => {
      const session = await openedBy(request, request.params.id);
      return sendAnswer(reply, ok(await shown(session)));
    },
  );

  app.post<{ Params: { id: string } }>(
    "/embed/api/checkout_sessions/:id/confirm",
    wipeBodyAfterwards,
    async (request, reply) => {
      const session = await openedBy(request, request.params.id);
      const body = readBodyAs(request, ConfirmSession);
      // The idempotency fingerprint leaves out the security code: the fingerprint is stored, and three digits can be
      // recovered from a hash by trying them all (PCI DSS requirement 3.3.1).
      const { cvc, ...identified } = body;
      const idempotency = readIdempotency(request, identified);
      if (!idempotency) {
        throw new ApiError("parameter_missing", "Send an Idempotency-Key, one for each attempt.", {
          param: "Idempotency-Key",
        });
      }
      await confirmSession(deps, session, {
        paymentMethodId: body.payment_method_id,
        save: body.save_payment_method ?? false,
        securityCode: cvc ?? null,
        browser: browserOf(request),
        requestId: request.id as RequestId,
        // The account's keys are one space, and the customer's browser is not to choose in it freely.
        idempotency: { ...idempotency, key: `${session.id} ${hash("sha256", idempotency.key)}` },
      });
      const after = await readSession(database.read, session.owner, session.id);
      return sendAnswer(reply, ok(await shown(after ?? session)));
    },
  );

  app.post<{ Params: { id: string } }>(
    "/embed/api/checkout_sessions/:id/cancel_challenge",
    async (request, reply) => {
      const session = await openedBy(request, request.params.id);
      await cancelChallenge(charges, session);
      const after = await readSession(database.read, session.owner, session.id);
      return sendAnswer(reply, ok(await shown(after ?? session)));
    },
  );

  app.post("/vault/cards", typedCards, async (request, reply) => {
    const body = readBodyAs(request, StoreCard);
    const session = await openedBy(request, body.checkout_session_id);
    const status = statusAt(session, clock.now());
    if (status !== "open") throw notOpen({ id: session.id, status });
    if (session.cardCount >= maxCardsPerSession) throw tooManyCards();
    const { owner } = session;

    const accepted = acceptCard(typedCard(body, session), owner.livemode, clock.now());
    if (accepted.kind === "problem") throw rejectedCard(accepted.problem);
    // A card that nobody could charge is not kept: live mode without an acquirer, or of a suspended account.
    await processorOf(charges, owner, session.price);
    const { card } = accepted;
    const preferred = body.network ?? null;
    if (preferred && !card.networks.includes(preferred)) throw notOnTheCard(preferred);
    const sealed = await vault.seal(owner, card);
    await database.transaction(async (tx) => {
      if (!(await takeCardPlace(tx, session))) throw await noPlace(tx, session);
      await vault.store(tx, sealed, session.id);
      await insertPaymentMethod(tx, {
        id: sealed.id,
        owner,
        customerId: null,
        checkoutSessionId: session.id,
        consentedAt: null,
        networkTransactionId: null,
        billingCountry: body.country ?? null,
        card: {
          brand: card.brand,
          last4: sealed.last4,
          exp_month: sealed.expMonth,
          exp_year: sealed.expYear,
          funding: card.funding,
          country: card.country,
          networks: { available: card.networks, preferred },
          fingerprint: sealed.fingerprint,
        },
        metadata: {},
        detachedAt: null,
      });
    });
    const stored = {
      payment_method_id: sealed.id,
      card: { brand: card.brand, last4: sealed.last4 },
    };
    return sendAnswer(reply, created(stored));
  });

  /** Returns why a card could not be added: the session has ended or is being paid, or has all the cards it can. */
  async function noPlace(tx: Tx, { owner, id }: CheckoutSession): Promise<ApiError> {
    const session = await readSession(tx, owner, id);
    return session && session.status !== "open" ? notOpen(session) : tooManyCards();
  }

  /** The session, if the request carries its client secret; a wrong secret and a wrong id look the same. */
  async function openedBy(request: FastifyRequest, text: string): Promise<CheckoutSession> {
    const id = parseId("cs", text);
    const session = id && (await readSessionById(database.read, id));
    if (!session || !clientSecrets.matches(session.owner, session.id, bearerOf(request))) {
      throw noSuch("checkout session", text);
    }
    return session;
  }

  async function shown(session: CheckoutSession) {
    const account = await accounts.get(session.owner.account);
    const { owner, chargeId } = session;
    const authentication = chargeId && (await find(charges.threeDSecure, owner, chargeId));
    const now = clock.now();
    const status = statusAt(session, now);
    if (isEnded(status)) return endedFrameSession(session, status, account, authentication, now);
    return {
      ...frameSession(session, account, links, authentication, now),
      saved_cards: await savedCards(database.read, session, now),
    };
  }
}

/** What was typed; of the address the form asks for no more than it must, and the merchant may have sent the rest. */
function typedCard(body: StoreCard, { details }: CheckoutSession) {
  const known = details.billing_details?.address;
  return {
    number: body.number,
    expMonth: body.exp_month,
    expYear: body.exp_year,
    securityCode: body.cvc,
    postalCode: body.postal_code ?? known?.postal_code ?? null,
    addressLine1: known?.line1 ?? null,
  };
}

function tooManyCards(): ApiError {
  return new ApiError(
    "session_max_cards",
    `A checkout session accepts at most ${maxCardsPerSession} cards. Create a new session.`,
    { param: "checkout_session_id" },
  );
}

function notOnTheCard(network: string): ApiError {
  return new ApiError("parameter_invalid", `The card is not of the network '${network}'.`, {
    param: "network",
  });
}
