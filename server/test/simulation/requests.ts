import type { Pool } from "undici";

/** An HTTP response with the body as text. */
export type HttpResponse = {
  readonly status: number;
  readonly body: string;
  readonly replayed: boolean;
};

/** A server to which clients send requests, and a key that it accepts. */
export type Target = { readonly http: Pool; readonly secretKey: string };

/** Sends a POST with an idempotency key. Throws if no response arrives. */
export async function post(
  http: Pool,
  path: string,
  request: {
    readonly bearer: string;
    readonly key: string;
    readonly body: string | object;
  },
): Promise<HttpResponse> {
  const { statusCode, headers, body } = await http.request({
    method: "POST",
    path,
    headers: {
      authorization: `Bearer ${request.bearer}`,
      "content-type": "application/json",
      "idempotency-key": request.key,
    },
    body: typeof request.body === "string" ? request.body : JSON.stringify(request.body),
  });
  return {
    status: statusCode,
    body: await body.text(),
    replayed: headers["idempotent-replayed"] === "true",
  };
}
