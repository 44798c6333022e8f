/** A settlement report of Adyen with one payment and its payout. */
export const settlementReport = `Merchant Account,Psp Reference,Merchant Reference,Creation Date,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Batch Number
FieldwareECOM,P1,order,2026-01-31 10:00:00,Settled,M1,EUR,,20.00,1,EUR,,19.70,0.30,,,,7
FieldwareECOM,,,2026-01-31 10:00:00,MerchantPayout,batch 7,,,,1,EUR,19.70,,,,,,7
`;
