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

/** The parts of a card that may be shown: its brand and last four digits. */
export function Card({ brand, last4 }: { brand: string; last4: string }) {
  return (
    <span className="sm:whitespace-nowrap">
      {brandName(brand)}{" "}
      <span className="whitespace-nowrap">
        <span aria-hidden="true">••••</span>
        <span className="sr-only"> ending in </span> <span className="tabular-nums">{last4}</span>
      </span>
    </span>
  );
}
