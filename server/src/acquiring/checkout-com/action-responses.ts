import type { Money } from "../../core/money.ts";
import {
  isJsonObject,
  type JsonObject,
  numberOf,
  parseJsonObject,
  textOf,
} from "../json-object.ts";
import type {
  HttpResponse,
  OperationOutcome,
  RetrySameRequest,
  UnknownOutcome,
} from "../outcome.ts";
import type { OperationKind } from "../processor.ts";
import { fromCheckoutComAmount } from "./currencies.ts";
import { asUnknown, failureOf, unknown } from "./response-failures.ts";

/** The types of actions for our operations (`type` of `PaymentAction`). */
const actionTypes = {
  capture: "Capture",
  void: "Void",
  refund: "Refund",
} as const satisfies Record<OperationKind, string>;

export type SentOperation = {
  readonly kind: OperationKind;
  readonly reference: string;
  readonly price: Money;
};

/**
 * Returns the outcome of a response to a capture, void or refund. Checkout.com confirms the receipt, and reports the
 * result in an event.
 */
export function operationOutcome(
  response: HttpResponse,
  sent: Pick<SentOperation, "reference">,
): OperationOutcome | RetrySameRequest {
  // A copy of the request may be in progress, because another process may have sent one before.
  if (response.status !== 202) return failureOf(response, null);
  const body = parseJsonObject(response.body);
  const action = body && textOf(body, "action_id");
  if (body === null || action === null) return unknown("the confirmation has no action");
  return (body.reference ?? sent.reference) === sent.reference
    ? { kind: "pending", acquirerReference: action }
    : unknown("the confirmation is for a different request");
}

/** Returns the actions of a response, newest first. */
export function actionsOf(
  response: HttpResponse,
):
  | { readonly kind: "actions"; readonly actions: readonly JsonObject[] }
  | UnknownOutcome
  | RetrySameRequest {
  if (response.status !== 200) return asUnknown(failureOf(response, null));
  let list: unknown = null;
  try {
    list = JSON.parse(response.body);
  } catch {
    return unknown("the body is not JSON");
  }
  return Array.isArray(list)
    ? { kind: "actions", actions: list.filter(isJsonObject) }
    : unknown("the body is not a list of actions");
}

/** Returns the response code of the authorization. Null if the actions do not contain one. */
export function authorizationCodeIn(actions: readonly JsonObject[]): string | null {
  const authorization = actions.find(
    ({ type }) => type === "Authorization" || type === "Card Verification",
  );
  return authorization === undefined ? null : textOf(authorization, "response_code");
}

/** Returns the outcome of an operation from the actions of its payment. */
export function operationIn(
  actions: readonly JsonObject[],
  sent: SentOperation,
  currency: string,
): OperationOutcome | { readonly kind: "not_found" } {
  const own = actions.find(
    (action) => action.type === actionTypes[sent.kind] && action.reference === sent.reference,
  );
  return own === undefined ? { kind: "not_found" } : actionOutcome(own, sent, currency);
}

/** Returns whether a void or refund that reverses the payment was accepted and has no result yet. */
export function reversalActionIn(
  actions: readonly JsonObject[],
  kind: "voids" | "refunds",
  reference: string,
): boolean {
  const type = kind === "voids" ? actionTypes.void : actionTypes.refund;
  return actions.some(
    (action) =>
      action.type === type && action.reference === reference && action.approved === undefined,
  );
}

/** Returns the outcome of an action. An action without `approved` is still being processed. */
function actionOutcome(
  action: JsonObject,
  sent: Pick<SentOperation, "kind" | "price">,
  currency: string,
): OperationOutcome {
  const acquirerReference = textOf(action, "id");
  if (action.approved === false) return declinedAction(action);
  if (action.approved !== true) return { kind: "pending", acquirerReference };
  const amount = numberOf(action, "amount");
  const price = amount === null ? null : fromCheckoutComAmount({ amount, currency });
  if (sent.kind !== "void" && price?.amountMinor !== sent.price.amountMinor) {
    return unknown("the action has a different amount from the request");
  }
  return { kind: "done", acquirerReference };
}

function declinedAction(action: JsonObject): OperationOutcome {
  return { kind: "declined", code: "processing_error", reason: reasonOf(action) };
}

/** Returns the response code with its text, such as `20109 Authorization already reversed`. */
export function reasonOf(fields: JsonObject): string | null {
  const parts = [textOf(fields, "response_code"), textOf(fields, "response_summary")];
  const text = parts.filter((part) => part !== null).join(" ");
  return text === "" ? null : text.slice(0, 200);
}
