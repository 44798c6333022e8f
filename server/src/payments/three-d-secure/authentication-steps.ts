import type { BrowserFacts } from "../../acquiring/three-d-secure/message.ts";
import { notAvailable } from "../../cards/payment-methods/payment-methods.ts";
import type { ChallengedCharge, Charge } from "../charges/charge.ts";
import { find } from "./advance.ts";
import { demands, followAuthentication } from "./authenticate-charge.ts";
import type { Authentication } from "./authentication.ts";
import {
  beginAuthentication,
  type Purchase,
  requestAuthentication,
} from "./request-authentication.ts";
import type { AuthenticationDeps } from "./three-d-secure-deps.ts";

/** Looks up the card's 3-D Secure enrollment. Continues the charge at once if the issuer does not take part. */
export async function beginFor(
  deps: AuthenticationDeps,
  charge: ChallengedCharge,
): Promise<Authentication> {
  const begun = await beginAuthentication(deps.threeDSecure, await purchaseOf(deps, charge));
  await followAuthentication(deps, begun);
  return begun;
}

/** Sends the authentication request. Continues the charge at once if the issuer needs no challenge. */
export async function requestFor(
  deps: AuthenticationDeps,
  charge: ChallengedCharge,
  browser: BrowserFacts,
): Promise<Authentication> {
  const purchase = await purchaseOf(deps, charge);
  const current =
    (await find(deps.threeDSecure, charge.owner, charge.id)) ??
    (await beginAuthentication(deps.threeDSecure, purchase));
  const answered = await requestAuthentication(deps.threeDSecure, purchase, current, browser);
  await followAuthentication(deps, answered);
  return answered;
}

async function purchaseOf(deps: AuthenticationDeps, charge: Charge): Promise<Purchase> {
  const { owner } = charge;
  const method = await deps.paymentMethods.findInUse(charge);
  // The card was detached and erased at the moment at which the charge was created.
  if (!method) throw notAvailable(charge.paymentMethodId);
  const { name, country } = await deps.accounts.get(owner.account);
  return {
    owner,
    chargeId: charge.id,
    price: charge.price,
    brand: charge.card.brand,
    credentials: method.credentials,
    merchant: { name, country },
    demanded: await demands(deps, charge),
  };
}
