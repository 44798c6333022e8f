import type { ShownCard } from "../payment-methods/shown-card.ts";
import { type ChargeId, uuidOf } from "../primitives/ids.ts";
import type { Money } from "../primitives/money.ts";
import type { Owner } from "../primitives/owner.ts";
import type { BrowserFacts } from "../processors/three-d-secure/message.ts";
import type { AuthenticateRequest } from "../processors/three-d-secure/three-d-secure-server.ts";
import { advance, find } from "./advance.ts";
import { insertAuthentication } from "./authentication.sql.ts";
import { type Authentication, methodCompletion, startAuthentication } from "./authentication.ts";
import { deadlineOf } from "./deadlines.ts";
import type { ThreeDSecureDeps } from "./three-d-secure-deps.ts";

/** What is authenticated: one payment with one card. The number itself is opened by the 3DS server alone. */
export type Purchase = {
  readonly owner: Owner;
  readonly chargeId: ChargeId;
  readonly price: Money;
  readonly brand: ShownCard["brand"];
  readonly credentials: AuthenticateRequest["card"];
  readonly merchant: { readonly name: string; readonly country: string };
  /** True when the merchant takes no payment without it. */
  readonly demanded: boolean;
};

/** Step 1: the look-up. Begun once; whoever comes again gets it as it stands. */
export async function beginAuthentication(
  deps: ThreeDSecureDeps,
  purchase: Purchase,
): Promise<Authentication> {
  const { owner, chargeId } = purchase;
  const existing = await find(deps, owner, chargeId);
  if (existing) return existing;
  const found = (await deps.serverFor(owner)?.lookUp(purchase.credentials)) ?? {
    kind: "unavailable" as const,
  };
  const begun = startAuthentication(purchase, found.kind === "enrolled" ? found : null);
  const dueAt = deadlineOf(begun, deps.clock.now(), deps.timing);
  await deps.database.transaction((tx) => insertAuthentication(tx, begun, dueAt));
  // Another tab may have been first, and further.
  return (await find(deps, owner, chargeId)) ?? begun;
}

/**
 * Step 3: AReq and ARes. The intention is written down first, and that decides between two tabs: a bank is asked
 * about a payment once. No transaction is open while it thinks.
 */
export async function requestAuthentication(
  deps: ThreeDSecureDeps,
  purchase: Purchase,
  from: Authentication,
  browser: BrowserFacts,
): Promise<Authentication> {
  // Null in every state but the first: who comes late gets it as it stands.
  const completion = from.state === "looked_up" ? methodCompletion(from) : null;
  const { authentication, moved } = await advance(deps, from, { kind: "requested" });
  const server = deps.serverFor(purchase.owner);
  if (!moved || !completion || !server) return authentication;

  const addresses = deps.addressesOf(purchase.owner, purchase.chargeId);
  const answer = await server.authenticate({
    transactionId: uuidOf(purchase.chargeId),
    version: from.version,
    card: purchase.credentials,
    price: purchase.price,
    purchasedAt: deps.clock.now(),
    merchant: { ...purchase.merchant, id: purchase.owner.account },
    methodCompletion: completion,
    demanded: purchase.demanded,
    browser,
    notificationUrl: addresses.notification,
    resultsUrl: addresses.results,
  });
  const heard = await advance(
    deps,
    authentication,
    answer.kind === "answered" ? { kind: "answered", ares: answer.ares } : { kind: "unanswered" },
  );
  return heard.authentication;
}
