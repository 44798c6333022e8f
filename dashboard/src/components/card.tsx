import { brandName } from "./brand-name.ts";

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
