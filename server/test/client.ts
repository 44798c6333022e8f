import { Agent, type Dispatcher, request } from "undici";
import { decompress } from "./decompress.ts";

/** A response, as text and, if it is JSON, parsed. */
export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  /** The exact text, for tests that compare bytes. */
  readonly text: string;
  readonly isJson: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the fields
  readonly body: any;
};

export type Sent = {
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: unknown;
  /** An array is sent as repeated headers. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
};

export type Client = {
  send(method: string, path: string, sent?: Sent): Promise<Reply>;
  /** Sends a request whose response may never end. Reads only the headers of an event stream. */
  sendToStream(method: string, path: string, sent?: Sent): Promise<Reply>;
  close(): Promise<void>;
};

/** Creates an HTTP client that returns every response, including errors, instead of throwing. */
export function createClient(baseUrl: string): Client {
  const agent = new Agent({ connections: 128, headersTimeout: 60_000, bodyTimeout: 60_000 });

  async function send(
    method: string,
    path: string,
    { body, headers = {} }: Sent,
    readsStream: boolean,
  ): Promise<Reply> {
    const hasBody = body !== undefined;
    const response = await request(`${baseUrl}${path}`, {
      dispatcher: agent,
      method: method as "GET",
      headers: { ...(hasBody && { "content-type": "application/json" }), ...headers },
      body: hasBody ? rendered(body) : null,
    });
    const received = new Headers();
    for (const [name, value] of Object.entries(response.headers)) {
      for (const one of [value ?? []].flat()) received.append(name, one);
    }
    const type = received.get("content-type") ?? "";
    const isStream = !readsStream && type.startsWith("text/event-stream");
    if (isStream) response.body.on("error", () => undefined).destroy();
    const text = isStream ? "" : await textOf(response.body, received.get("content-encoding"));
    const isJson = /^application\/json\b/.test(type) && text !== "";
    const read = isJson ? JSON.parse(text) : null;
    return { status: response.statusCode, headers: received, text, isJson, body: read };
  }

  return {
    send: (method, path, sent = {}) => send(method, path, sent, true),
    sendToStream: (method, path, sent = {}) => send(method, path, sent, false),
    close: () => agent.close(),
  };
}

/** Returns the body as text. Decompresses it if the test sent `accept-encoding`. */
async function textOf(
  body: Dispatcher.ResponseData["body"],
  encoding: string | null,
): Promise<string> {
  if (encoding === null) return body.text();
  const bytes = Buffer.from(await body.arrayBuffer());
  if (bytes.length === 0) return "";
  return decompress(bytes, encoding).toString("utf8");
}

function rendered(body: unknown): string | Buffer {
  return typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
}
