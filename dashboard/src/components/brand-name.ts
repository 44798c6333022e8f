import { inWords } from "./status-label.ts";

const names: Readonly<Record<string, string>> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "Amex",
  discover: "Discover",
  diners: "Diners",
  jcb: "JCB",
  unionpay: "UnionPay",
  cartes_bancaires: "Cartes Bancaires",
};

/** The card networks, as the API names them. */
export const cardNetworks: readonly string[] = Object.keys(names);

/** Returns the name of a card brand or a card network. */
export function brandName(brand: string): string {
  return names[brand] ?? inWords(brand);
}
