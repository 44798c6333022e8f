import { inWords } from "./badge.tsx";

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

export function brandName(brand: string): string {
  return names[brand] ?? inWords(brand);
}

/** What may be shown of a card: its brand and its last four digits. */
export function Card({ brand, last4 }: { brand: string; last4: string }) {
  return (
    <span className="whitespace-nowrap">
      {brandName(brand)} <span aria-hidden="true">••••</span>
      <span className="sr-only"> ending in </span> <span className="tabular-nums">{last4}</span>
    </span>
  );
}
