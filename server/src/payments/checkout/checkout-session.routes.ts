import {
  CheckoutSession,
  CheckoutSessionCreated,
  CreateCheckoutSession,
  type CreateCheckoutSession as CreateSessionBody,
  ListCheckoutSessions,
} from "@florin/contract/checkout-session.ts";
import { ListOf } from "@florin/contract/list.ts";
import { NoParameters } from "@florin/contract/no-parameters.ts";
import { assertAccepted, assertVerifiable } from "../../acquiring/find-processor.ts";
import { insertCustomer } from "../../cards/customers/customer.sql.ts";
import type { Customer } from "../../cards/customers/customer.ts";
import { findCustomer } from "../../cards/customers/find-customer.ts";
import { noSuch, noSuchParameter } from "../../core/api-error.ts";
import { newId, parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { recordPersonAction } from "../../platform/audit/record-person-action.ts";
import { namedId, rejectUnknownFilterIds } from "../../platform/http/filter-ids.sql.ts";
import { listPage, pageOf } from "../../platform/http/list.ts";
import { type ApiRequest, created, ok, type Route, route } from "../../platform/http/route.ts";
import { withArchiveNote } from "../charges/archived-charge.ts";
import { insertSessions } from "../commit/intents.sql.ts";
import { listSessions, readSession } from "../sessions/checkout-session.sql.ts";
import {
  isEnded,
  type CheckoutSession as Session,
  sessionObject,
  statusAt,
} from "../sessions/checkout-session.ts";
import { embedUrl } from "../sessions/client-urls.ts";
import { expireSession } from "./expire-session.ts";
import { noPriceOf, startSession, totalOf } from "./new-session.ts";
import { notOpen } from "./rejected-session.ts";
import type { SessionDeps } from "./session-deps.ts";

export function checkoutSessionRoutes(deps: SessionDeps): Route[] {
  const { database, clock, idempotencyKeys, links } = deps.charges;

  return [
    route({
      method: "POST",
      path: "/checkout_sessions",
      summary: "Create a checkout session",
      permission: "payments:write",
      body: CreateCheckoutSession,
      response: CheckoutSessionCreated,
      status: 201,
      async handle({ scope, body, idempotency }) {
        if (body.mode === "setup") {
          await assertVerifiable(deps.charges, scope, noPriceOf(body).currency);
        } else {
          const param = body.line_items ? "line_items" : "amount";
          await assertAccepted(deps.charges, scope, totalOf(body), param);
        }
        const existingCustomer = await findCustomer(database.read, scope, body.customer_id);
        const savesCard = body.mode === "setup" || body.save_payment_method;
        const createdCustomer =
          existingCustomer === null && savesCard ? newCustomer(scope, body) : null;
        const session = startSession(
          scope,
          body,
          existingCustomer ?? createdCustomer?.id ?? null,
          clock.now(),
        );
        const embed_url = embedUrl(links, session);
        const response = created({
          session: sessionObject(session, embed_url),
          embed_url,
        });
        if (createdCustomer) {
          return idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
            await insertCustomer(tx, createdCustomer);
            await insertSessions(tx, [{ session, idempotency: null, response }]);
            return response;
          });
        }
        return idempotencyKeys.runSelfClaiming(scope, idempotency, async () =>
          (await deps.commits.insertSession({ session, idempotency, response })) ? response : null,
        );
      },
    }),
    route({
      method: "GET",
      path: "/checkout_sessions/:id",
      summary: "Retrieve a checkout session",
      permission: "payments:read",
      response: CheckoutSession,
      status: 200,
      async handle({ scope, params, permissions }) {
        const session = await find(scope, params.id as string);
        return ok(shownTo(permissions)(session));
      },
    }),
    route({
      method: "GET",
      path: "/checkout_sessions",
      summary: "List checkout sessions",
      permission: "payments:read",
      query: ListCheckoutSessions,
      response: ListOf(CheckoutSession, "/api/v1/checkout_sessions"),
      status: 200,
      async handle({ scope, query, permissions }) {
        const page = pageOf(query, "cs");
        const filter = filterOf(query);
        const sessions = await listSessions(database.read, scope, filter, page);
        await rejectUnknownFilterIds(database.read, scope, sessions, {
          customer_id: filter.customerId,
        });
        return ok(listPage(sessions, page, "/api/v1/checkout_sessions", shownTo(permissions)));
      },
    }),
    route({
      method: "POST",
      path: "/checkout_sessions/:id/expire",
      summary: "Expire a checkout session",
      permission: "payments:write",
      body: NoParameters,
      response: CheckoutSession,
      status: 200,
      async handle(request) {
        const { id, scope, params, idempotency } = request;
        const session = await find(scope, params.id as string);
        const cause = { id, idempotencyKey: idempotency?.key ?? null };
        return idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
          if (session.status !== "open") throw notOpen(session);
          const context = { cause, now: clock.now() };
          const expired = await expireSession(tx, session, context);
          // The session changed between the read and the write. The error reports its current state.
          if (!expired) throw notOpen((await readSession(tx, scope, session.id)) ?? session);
          const entry = { action: "checkout_session.expired", object: session.id } as const;
          await recordPersonAction(tx, request, entry, clock);
          return ok(sessionObject(expired, null));
        });
      },
    }),
  ];

  /**
   * Includes the URL with the client secret only for callers with `payments:write`, because its holder can pay for the
   * session.
   */
  function shownTo(permissions: ApiRequest["permissions"]) {
    const now = clock.now();
    return (session: Session) => {
      const canPay = permissions.has("payments:write") && !isEnded(statusAt(session, now));
      return sessionObject(session, canPay ? embedUrl(links, session) : null);
    };
  }

  /**
   * Returns the customer to create for a session that saves the card or offers to save it, if the request names no
   * customer.
   */
  function newCustomer(scope: Scope, body: CreateSessionBody): Customer {
    const name = body.billing_details?.name ?? null;
    const email = body.customer_email ?? body.billing_details?.email ?? null;
    return { id: newId("cus", clock.now()), scope, email, name, metadata: {} };
  }

  async function find(scope: Scope, text: string) {
    const id = parseId("cs", text);
    const session = id && (await readSession(database.read, scope, id));
    if (!session) {
      const missing = noSuch("checkout session", text);
      throw id ? await withArchiveNote(database.read, scope, id, missing) : missing;
    }
    return session;
  }
}

function filterOf(query: ListCheckoutSessions) {
  const { status, client_reference_id, customer_id } = query;
  const customerId = namedId("cus", customer_id, "customer_id");
  const ids = query.ids?.map(sessionId);
  return { status, clientReferenceId: client_reference_id, customerId, ids };
}

function sessionId(text: string) {
  const id = parseId("cs", text);
  if (!id) throw noSuchParameter("checkout session", text, "ids");
  return id;
}
