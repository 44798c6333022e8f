import { minorUnitDigits } from "./minor-units.ts";

/**
 * Every currency of ISO 4217 (list one) that card networks support, with its numeric code and the price of one US
 * dollar. Omits funds codes, metals, test codes, and the currencies of countries whose banks the networks do not serve:
 * CUP, IRR, KPW and SYP. The rates are approximate, have no published source and are not updated. They only set the
 * magnitude of default limits and fees, and no payment is converted with them. An operator sets other amounts for an
 * account and a currency in the account's terms (docs/operating/admin-console.md).
 */
const table = {
  aed: { number: "784", perDollar: 3.67 },
  afn: { number: "971", perDollar: 66 },
  all: { number: "008", perDollar: 83 },
  amd: { number: "051", perDollar: 383 },
  aoa: { number: "973", perDollar: 915 },
  ars: { number: "032", perDollar: 1450 },
  aud: { number: "036", perDollar: 1.53 },
  awg: { number: "533", perDollar: 1.79 },
  azn: { number: "944", perDollar: 1.7 },
  bam: { number: "977", perDollar: 1.68 },
  bbd: { number: "052", perDollar: 2 },
  bdt: { number: "050", perDollar: 122 },
  bhd: { number: "048", perDollar: 0.376 },
  bif: { number: "108", perDollar: 2950 },
  bmd: { number: "060", perDollar: 1 },
  bnd: { number: "096", perDollar: 1.3 },
  bob: { number: "068", perDollar: 6.91 },
  brl: { number: "986", perDollar: 5.35 },
  bsd: { number: "044", perDollar: 1 },
  btn: { number: "064", perDollar: 88.7 },
  bwp: { number: "072", perDollar: 13.4 },
  byn: { number: "933", perDollar: 3.4 },
  bzd: { number: "084", perDollar: 2.01 },
  cad: { number: "124", perDollar: 1.4 },
  cdf: { number: "976", perDollar: 2400 },
  chf: { number: "756", perDollar: 0.8 },
  clp: { number: "152", perDollar: 940 },
  cny: { number: "156", perDollar: 7.12 },
  cop: { number: "170", perDollar: 3850 },
  crc: { number: "188", perDollar: 502 },
  cve: { number: "132", perDollar: 95 },
  czk: { number: "203", perDollar: 20.9 },
  djf: { number: "262", perDollar: 178 },
  dkk: { number: "208", perDollar: 6.43 },
  dop: { number: "214", perDollar: 64 },
  dzd: { number: "012", perDollar: 130 },
  egp: { number: "818", perDollar: 47.5 },
  ern: { number: "232", perDollar: 15 },
  etb: { number: "230", perDollar: 152 },
  eur: { number: "978", perDollar: 0.86 },
  fjd: { number: "242", perDollar: 2.27 },
  fkp: { number: "238", perDollar: 0.76 },
  gbp: { number: "826", perDollar: 0.76 },
  gel: { number: "981", perDollar: 2.71 },
  ghs: { number: "936", perDollar: 10.9 },
  gip: { number: "292", perDollar: 0.76 },
  gmd: { number: "270", perDollar: 73 },
  gnf: { number: "324", perDollar: 8680 },
  gtq: { number: "320", perDollar: 7.66 },
  gyd: { number: "328", perDollar: 209 },
  hkd: { number: "344", perDollar: 7.78 },
  hnl: { number: "340", perDollar: 26.3 },
  htg: { number: "332", perDollar: 131 },
  huf: { number: "348", perDollar: 334 },
  idr: { number: "360", perDollar: 16650 },
  ils: { number: "376", perDollar: 3.26 },
  inr: { number: "356", perDollar: 88.7 },
  iqd: { number: "368", perDollar: 1310 },
  isk: { number: "352", perDollar: 126 },
  jmd: { number: "388", perDollar: 161 },
  jod: { number: "400", perDollar: 0.709 },
  jpy: { number: "392", perDollar: 153 },
  kes: { number: "404", perDollar: 129 },
  kgs: { number: "417", perDollar: 87.4 },
  khr: { number: "116", perDollar: 4020 },
  kmf: { number: "174", perDollar: 424 },
  krw: { number: "410", perDollar: 1450 },
  kwd: { number: "414", perDollar: 0.307 },
  kyd: { number: "136", perDollar: 0.833 },
  kzt: { number: "398", perDollar: 525 },
  lak: { number: "418", perDollar: 21700 },
  lbp: { number: "422", perDollar: 89500 },
  lkr: { number: "144", perDollar: 304 },
  lrd: { number: "430", perDollar: 183 },
  lsl: { number: "426", perDollar: 17.3 },
  lyd: { number: "434", perDollar: 5.46 },
  mad: { number: "504", perDollar: 9.27 },
  mdl: { number: "498", perDollar: 17 },
  mga: { number: "969", perDollar: 4490 },
  mkd: { number: "807", perDollar: 53 },
  mmk: { number: "104", perDollar: 2100 },
  mnt: { number: "496", perDollar: 3590 },
  mop: { number: "446", perDollar: 8.01 },
  mru: { number: "929", perDollar: 39.9 },
  mur: { number: "480", perDollar: 45.8 },
  mvr: { number: "462", perDollar: 15.4 },
  mwk: { number: "454", perDollar: 1735 },
  mxn: { number: "484", perDollar: 18.5 },
  myr: { number: "458", perDollar: 4.18 },
  mzn: { number: "943", perDollar: 63.9 },
  nad: { number: "516", perDollar: 17.3 },
  ngn: { number: "566", perDollar: 1440 },
  nio: { number: "558", perDollar: 36.8 },
  nok: { number: "578", perDollar: 10.1 },
  npr: { number: "524", perDollar: 142 },
  nzd: { number: "554", perDollar: 1.76 },
  omr: { number: "512", perDollar: 0.385 },
  pab: { number: "590", perDollar: 1 },
  pen: { number: "604", perDollar: 3.38 },
  pgk: { number: "598", perDollar: 4.24 },
  php: { number: "608", perDollar: 58.9 },
  pkr: { number: "586", perDollar: 281 },
  pln: { number: "985", perDollar: 3.66 },
  pyg: { number: "600", perDollar: 7080 },
  qar: { number: "634", perDollar: 3.64 },
  ron: { number: "946", perDollar: 4.38 },
  rsd: { number: "941", perDollar: 101 },
  rub: { number: "643", perDollar: 80.5 },
  rwf: { number: "646", perDollar: 1453 },
  sar: { number: "682", perDollar: 3.75 },
  sbd: { number: "090", perDollar: 8.24 },
  scr: { number: "690", perDollar: 14 },
  sdg: { number: "938", perDollar: 600 },
  sek: { number: "752", perDollar: 9.5 },
  sgd: { number: "702", perDollar: 1.3 },
  shp: { number: "654", perDollar: 0.76 },
  sle: { number: "925", perDollar: 23.2 },
  sos: { number: "706", perDollar: 571 },
  srd: { number: "968", perDollar: 38.6 },
  ssp: { number: "728", perDollar: 4600 },
  stn: { number: "930", perDollar: 21.1 },
  svc: { number: "222", perDollar: 8.75 },
  szl: { number: "748", perDollar: 17.3 },
  thb: { number: "764", perDollar: 32.4 },
  tjs: { number: "972", perDollar: 9.25 },
  tmt: { number: "934", perDollar: 3.5 },
  tnd: { number: "788", perDollar: 2.93 },
  top: { number: "776", perDollar: 2.4 },
  try: { number: "949", perDollar: 42.1 },
  ttd: { number: "780", perDollar: 6.78 },
  twd: { number: "901", perDollar: 30.9 },
  tzs: { number: "834", perDollar: 2460 },
  uah: { number: "980", perDollar: 42 },
  ugx: { number: "800", perDollar: 3500 },
  usd: { number: "840", perDollar: 1 },
  uyu: { number: "858", perDollar: 39.8 },
  uzs: { number: "860", perDollar: 12000 },
  ves: { number: "928", perDollar: 230 },
  vnd: { number: "704", perDollar: 26300 },
  vuv: { number: "548", perDollar: 122 },
  wst: { number: "882", perDollar: 2.8 },
  xaf: { number: "950", perDollar: 564 },
  xcd: { number: "951", perDollar: 2.7 },
  xcg: { number: "532", perDollar: 1.79 },
  xof: { number: "952", perDollar: 564 },
  xpf: { number: "953", perDollar: 103 },
  yer: { number: "886", perDollar: 239 },
  zar: { number: "710", perDollar: 17.3 },
  zmw: { number: "967", perDollar: 22.6 },
  zwg: { number: "924", perDollar: 26.4 },
} as const;

export type Currency = keyof typeof table;

export const currencies = Object.keys(table) as Currency[];

export function isCurrency(code: string): code is Currency {
  return Object.hasOwn(table, code);
}

/** Returns the numeric code of ISO 4217. */
export function currencyNumber(currency: Currency): string {
  return table[currency].number;
}

/** The maximum amount of an authorization message: twelve digits (ISO 8583, data element 4: n 12). */
export const maxAmount = 999_999_999_999;

/** The fees and limits of an account in one currency, in the smallest unit of the currency. */
export type CurrencyAmounts = {
  /** The fixed part of a payment's fee. */
  readonly fixedFee: number;
  readonly disputeFee: number;
  readonly minCharge: number;
  readonly maxCharge: number;
  readonly minPayout: number;
  readonly maxPayout: number;
};

/** The amounts that apply unless the operator sets others for an account. */
export const defaultAmounts = Object.fromEntries(
  currencies.map((currency) => [currency, computeDefaults(currency)]),
) as Readonly<Record<Currency, CurrencyAmounts>>;

function computeDefaults(currency: Currency): CurrencyAmounts {
  const dollar = table[currency].perDollar * 10 ** minorUnitDigits(currency);
  const min = atLeast(dollar * 0.5);
  return {
    fixedFee: dollarsIn(currency, 0.3),
    disputeFee: dollarsIn(currency, 15),
    minCharge: min,
    maxCharge: Math.min(atLeast(dollar * 1_000_000) - 1, maxAmount),
    minPayout: min,
    maxPayout: Math.min(atLeast(dollar * 10_000_000) - 1, maxAmount),
  };
}

/** Rounds up to the next number of the series 1, 2, 5, 10, 20, 50 … */
function atLeast(amount: number): number {
  const power = 10 ** Math.floor(Math.log10(amount));
  // The tolerance absorbs floating-point error in an exact multiple.
  const step = [1, 2, 5, 10].find((one) => one * power >= amount * (1 - 1e-9)) as number;
  return Math.max(1, Math.round(step * power));
}

/** Converts US dollars to a currency's smallest unit at the approximate rates above, and rounds the result. */
export function dollarsIn(currency: Currency, dollars: number): number {
  return near(dollars * table[currency].perDollar * 10 ** minorUnitDigits(currency));
}

/**
 * Rounds to the nearest amount that has one significant digit, or two significant digits of which the second is five:
 * 30, 35, 1500.
 */
function near(amount: number): number {
  const step = 10 ** Math.floor(Math.log10(amount)) / 2;
  return Math.max(1, Math.round(Math.round(amount / step) * step));
}
