import type { Merchant } from "./processes/server-messages.ts";

/** Calls the API with the merchant's key and returns the response. Throws if the status is not a success. */
export async function callApi<Result>(
  url: string,
  { secretKey }: Pick<Merchant, "secretKey">,
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: object,
): Promise<Result> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${secretKey}`,
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return (await response.json()) as Result;
}
