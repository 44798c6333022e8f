import { ApiError } from "./api-error.ts";

/** An amount in the smallest unit of its currency (spec §1): 1999 is $19.99, and ¥1999. Always an integer. */
export type Money = { readonly amountMinor: number; readonly currency: Currency };

/** Digits after the decimal point, by ISO 4217 code in lower case (spec §2). */
const minorUnitDigits = {
  aed: 2,
  ars: 2,
  aud: 2,
  bgn: 2,
  bhd: 3,
  brl: 2,
  cad: 2,
  chf: 2,
  clp: 0,
  cny: 2,
  cop: 2,
  czk: 2,
  dkk: 2,
  egp: 2,
  eur: 2,
  gbp: 2,
  hkd: 2,
  huf: 2,
  idr: 2,
  ils: 2,
  inr: 2,
  isk: 0,
  jod: 3,
  jpy: 0,
  kes: 2,
  krw: 0,
  kwd: 3,
  mad: 2,
  mxn: 2,
  myr: 2,
  ngn: 2,
  nok: 2,
  nzd: 2,
  omr: 3,
  pen: 2,
  php: 2,
  pkr: 2,
  pln: 2,
  qar: 2,
  ron: 2,
  rsd: 2,
  sar: 2,
  sek: 2,
  sgd: 2,
  thb: 2,
  tnd: 3,
  try: 2,
  twd: 2,
  uah: 2,
  ugx: 0,
  usd: 2,
  uyu: 2,
  vnd: 0,
  xaf: 0,
  xof: 0,
  zar: 2,
} as const;

export type Currency = keyof typeof minorUnitDigits;

export const currencies = Object.keys(minorUnitDigits) as Currency[];

export function isCurrency(code: string): code is Currency {
  return Object.hasOwn(minorUnitDigits, code);
}

export function currencyDigits(currency: Currency): number {
  return minorUnitDigits[currency];
}

/** Below this the fixed part of any fee would eat the payment; 50 of the smallest unit, whatever the currency. */
export const smallestAmountMinor = 50;

/** Eight digits, the most that card networks carry: 999,999.99 of a currency with two decimals. */
export const largestAmountMinor = 99_999_999;

/** The schema has checked the amount; the currency is ours to know. */
export function priceOf({ amount, currency }: { amount: number; currency: string }): Money {
  return { amountMinor: amount, currency: currencyOf(currency) };
}

/** A list that is filtered by a misspelt currency is not an empty one, but a mistake to tell of. */
export function currencyNamed(code: string | undefined): Currency | undefined {
  return code === undefined ? undefined : currencyOf(code);
}

function currencyOf(code: string): Currency {
  if (isCurrency(code)) return code;
  throw new ApiError(
    "currency_unsupported",
    `'${code}' is not a currency that can be charged. Send an ISO 4217 code in lower case, such as 'usd'.`,
    { param: "currency" },
  );
}
