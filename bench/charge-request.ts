/** A server with the secret key of one of its merchants in test mode. */
export type Caller = {
  readonly url: string;
  readonly merchant: { readonly secretKey: string };
};

export const chargesPath = "/api/v1/charges";

/** The body of a request that creates a charge. `#` stands for the amount. */
export const chargeBody = '{"amount":#,"currency":"usd","payment_method_id":"pm_card_visa"}';

/** Creates one charge. Returns the text of the response. */
export async function createCharge({ url, merchant }: Caller, key?: string): Promise<string> {
  const response = await fetch(`${url}${chargesPath}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${merchant.secretKey}`,
      "content-type": "application/json",
      ...(key && { "idempotency-key": key }),
    },
    body: chargeBody.replace("#", "1999"),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`POST ${chargesPath} failed: ${text}`);
  return text;
}
