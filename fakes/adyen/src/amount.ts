/** An amount in minor units, as Adyen sends it. */
export type Amount = { readonly currency: string; readonly value: number };

/**
 * The currencies that do not have two decimals at Adyen (docs.adyen.com/development-resources/currency-codes). In
 * contrast to ISO 4217, CVE and IDR have no decimals there, and CLP and ISK have two.
 */
const digits: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    "CVE DJF GNF IDR JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
      .split(" ")
      .map((code) => [code, 0]),
  ),
  ...Object.fromEntries("BHD IQD JOD KWD LYD OMR TND".split(" ").map((code) => [code, 3])),
};

const twoDecimals = new Set(
  (
    "AED ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BWP BYN BZD CAD CHF CLP CNH CNY COP CRC CUP " +
    "CZK DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF ILS INR ISK JMD KES KGS KHR KYD KZT " +
    "LAK LBP LKR MAD MDL MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR " +
    "RON RSD SAR SBD SCR SEK SGD SHP SLE SOS SRD STN SVC SZL THB TOP TRY TTD TWD TZS UAH USD UYU UZS WST XCD YER ZAR ZMW"
  ).split(" "),
);

export function isCurrency(code: string): boolean {
  return twoDecimals.has(code) || Object.hasOwn(digits, code);
}

export function minorDigits(currency: string): number {
  return digits[currency] ?? 2;
}

/** Returns the amount in major units: `1234` EUR is `12.34`. */
export function decimalText(value: number, currency: string): string {
  const places = minorDigits(currency);
  const sign = value < 0 ? "-" : "";
  const text = String(Math.abs(value)).padStart(places + 1, "0");
  return places === 0 ? sign + text : `${sign}${text.slice(0, -places)}.${text.slice(-places)}`;
}
