/** The merchant's fee per payment: `basisPoints` hundredths of a percent plus a fixed part. */
export type Pricing = { readonly basisPoints: number; readonly fixedMinor: number };
