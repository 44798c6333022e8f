import type { BrowserInformation } from "../../acquiring/three-d-secure/message.ts";
import type { AuthenticateRequest } from "../../acquiring/three-d-secure/three-d-secure-server.ts";
import type { MaskedCard } from "../../cards/payment-methods/masked-card.ts";
import { type AttemptId, uuidOf } from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import { advance, find } from "./advance-authentication.ts";
import { insertAuthentication } from "./authentication.sql.ts";
import { type Authentication, methodCompletion, startAuthentication } from "./authentication.ts";
import { deadlineOf } from "./deadlines.ts";
import type { ThreeDSecureDeps } from "./three-d-secure-deps.ts";

/** The payment to authenticate, or the card to verify. */
export type Purchase = {
  readonly scope: Scope;
  readonly attemptId: AttemptId;
  readonly purpose: AuthenticateRequest["purpose"];
  readonly price: Money;
  readonly brand: MaskedCard["brand"];
  readonly credentials: AuthenticateRequest["card"];
  readonly merchant: { readonly name: string; readonly country: string };
  /** True if the merchant requires 3-D Secure. */
  readonly demanded: boolean;
};

/**
 * Looks up the card range and starts the authentication. A repeated call returns the authentication in its current
 * state.
 */
export async function beginAuthentication(
  deps: ThreeDSecureDeps,
  purchase: Purchase,
): Promise<Authentication> {
  const { scope, attemptId } = purchase;
  const existing = await find(deps, scope, attemptId);
  if (existing) return existing;
  const found = (await deps.serverFor(scope)?.lookUp(purchase.credentials)) ?? {
    kind: "unavailable" as const,
  };
  const begun = startAuthentication(purchase, found.kind === "enrolled" ? found : null);
  const dueAt = deadlineOf(begun, deps.clock.now(), deps.timing);
  await deps.database.autocommit((tx) => insertAuthentication(tx, begun, dueAt));
  // Another tab may have inserted this authentication first and be a step ahead.
  return (await find(deps, scope, attemptId)) ?? begun;
}

/**
 * Sends the AReq and applies the ARes. The state `requested` is recorded first by compare-and-set, so that two tabs
 * send one AReq. No transaction is open while the issuer decides.
 */
export async function requestAuthentication(
  deps: ThreeDSecureDeps,
  purchase: Purchase,
  from: Authentication,
  browser: BrowserInformation,
): Promise<Authentication> {
  // The completion of the method page applies only in the state `looked_up`. A late call returns the authentication in
  // its current state.
  const completion = from.state === "looked_up" ? methodCompletion(from) : null;
  const { authentication, changed } = await advance(deps, from, { kind: "requested" });
  const server = deps.serverFor(purchase.scope);
  if (!changed || !completion || !server) return authentication;

  const addresses = deps.callbackUrls.addressesOf(purchase.scope, purchase.attemptId);
  const response = await server.authenticate({
    transactionId: uuidOf(purchase.attemptId),
    version: from.version,
    card: purchase.credentials,
    purpose: purchase.purpose,
    price: purchase.price,
    purchasedAt: deps.clock.now(),
    merchant: { ...purchase.merchant, id: purchase.scope.account },
    methodCompletion: completion,
    demanded: purchase.demanded,
    browser,
    notificationUrl: addresses.notification,
    resultsUrl: addresses.results,
  });
  const updated = await advance(
    deps,
    authentication,
    response.kind === "responded"
      ? { kind: "responded", ares: response.ares }
      : { kind: "ares_missing" },
  );
  return updated.authentication;
}
