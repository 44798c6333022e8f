import { type Currency, currencyDigits } from "../primitives/money.ts";

/** The amount from which a person must prove who they are, in units of a currency worth about a US dollar. */
const stepUpUnits = 500;

/** How many units are worth about a US dollar, by order of magnitude. One, or a few, where a currency is not listed. */
const unitsPerDollar: Partial<Record<Currency, number>> = {
  ars: 1_000,
  clp: 1_000,
  cop: 1_000,
  czk: 10,
  egp: 10,
  hkd: 10,
  huf: 100,
  idr: 10_000,
  inr: 100,
  isk: 100,
  jpy: 100,
  kes: 100,
  krw: 1_000,
  mad: 10,
  mxn: 10,
  ngn: 1_000,
  php: 10,
  pkr: 100,
  rsd: 100,
  thb: 10,
  twd: 10,
  ugx: 1_000,
  uyu: 10,
  vnd: 10_000,
  xaf: 100,
  xof: 100,
  zar: 10,
};

/** Returns the amount from which refunds need a fresh proof, in the smallest unit of the currency. */
export function stepUpAmountOf(currency: Currency): number {
  return stepUpUnits * (unitsPerDollar[currency] ?? 1) * 10 ** currencyDigits(currency);
}
