import type { AcquirerClient, AcquirerRequest, SendResult } from "./acquirer-client.ts";

/** A response with a status and a body, or the loss of the request or response. */
export type ScriptedResponse =
  | { readonly status: number; readonly body?: unknown }
  | "not_sent"
  | "lost";

export type ScriptedClient = AcquirerClient & {
  /** The requests that were sent, in their order. */
  readonly sent: AcquirerRequest[];
};

/** Returns a client that returns the next response to each request. */
export function scriptedClient(responses: readonly ScriptedResponse[]): ScriptedClient {
  const rest = [...responses];
  const sent: AcquirerRequest[] = [];
  return {
    sent,
    async send(request) {
      sent.push(request);
      const next = rest.shift();
      if (next === undefined) throw new Error(`unexpected: ${request.method} ${request.path}`);
      return resultOf(next);
    },
    close: async () => {},
  };
}

function resultOf(scripted: ScriptedResponse): SendResult {
  if (scripted === "not_sent") return { kind: "not_sent", problem: "refused" };
  if (scripted === "lost") return { kind: "unknown", why: "timeout", problem: "no response" };
  const { status, body } = scripted;
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  return { kind: "response", response: { status, headers: {}, body: text } };
}
