/** What a payment costs the merchant: `basisPoints` hundredths of a percent, and a fixed part. */
export type Pricing = { readonly basisPoints: number; readonly fixedMinor: number };
