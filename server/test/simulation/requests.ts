import type { Pool } from "undici";

/** An HTTP response with the body as text. */
export type HttpResponse = {
  readonly status: number;
  readonly body: string;
  readonly replayed: boolean;
};

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
