import { type CardCredentials, GatewayToken } from "../vault/card-number.ts";
import { type CardField, CardPlaceholder, type PreparedJson } from "./card-placeholder.ts";

/** The card or the wallet's token that a request contains. Null for a request without either. */
export type RequestCard = CardCredentials | GatewayToken | null;

/**
 * Serializes a prepared body and replaces its card placeholders. Only the functions of this file and the simulator
 * reveal a card to an acquirer. Call this function just before the request is sent, and keep no reference to the
 * result.
 */
export function serializeWithCard(body: PreparedJson, card: RequestCard): string {
  return JSON.stringify(filled(body, card));
}

/**
 * Encodes a prepared body as a form, in which nested names are in brackets: `card[number]=42`. Replaces its card
 * placeholders as `serializeWithCard` does.
 */
export function formWithCard(body: PreparedJson, card: RequestCard): string {
  const form = new URLSearchParams();
  append(form, "", filled(body, card));
  return form.toString();
}

function append(form: URLSearchParams, name: string, value: unknown): void {
  if (typeof value !== "object" || value === null) {
    form.append(name, String(value));
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    append(form, name === "" ? key : `${name}[${key}]`, item);
  }
}

function filled(value: PreparedJson, card: RequestCard): unknown {
  if (value instanceof CardPlaceholder) {
    if (card === null) throw new Error(`The request needs a card for '${value.field}'.`);
    return card instanceof GatewayToken
      ? tokenFieldOf(card, value.field)
      : fieldOf(card, value.field);
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, card));
  if (typeof value !== "object" || value === null) return value;
  // A loop takes about half the time of `Object.fromEntries`. This code runs for every live charge.
  const copy: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) copy[name] = filled(item, card);
  return copy;
}

function tokenFieldOf(token: GatewayToken, field: CardField): unknown {
  if (field === "gatewayToken") return token.reveal();
  if (field === "gatewayTokenObject") return JSON.parse(token.reveal());
  throw new Error(`A wallet's token has no '${field}'.`);
}

function fieldOf(card: CardCredentials, field: CardField): string | number {
  switch (field) {
    case "number":
      return card.number.reveal();
    case "expiryMonth":
      return String(card.expMonth).padStart(2, "0");
    case "expiryYear":
      return String(card.expYear);
    case "expiryMonthNumber":
      return card.expMonth;
    case "expiryYearNumber":
      return card.expYear;
    case "securityCode":
      if (card.securityCode === null) throw new Error("The security code is no longer in memory.");
      return card.securityCode.reveal();
    case "cryptogram":
      if (!card.networkToken?.cryptogram) throw new Error("The cryptogram is no longer in memory.");
      return card.networkToken.cryptogram.reveal();
    case "gatewayToken":
    case "gatewayTokenObject":
      throw new Error("The request has a card instead of a wallet's token.");
  }
}
