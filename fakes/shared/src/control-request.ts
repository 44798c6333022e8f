import type { IncomingMessage, ServerResponse } from "node:http";
import { isObject, type JsonObject } from "./json-object.ts";

/** The path of the control API of a fake. No acquirer has such an API. */
export const controlPath = "/control/";

/** An invalid request to the control API. The message says what is wrong. */
export class ControlError extends Error {}

/** Executes a command, such as `GET payments`, and returns the body of the response. */
export type RunCommand = (
  command: string,
  query: URLSearchParams,
  body: JsonObject,
) => Promise<unknown>;

/** Handles a request from the same machine. */
export async function handleControl(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  run: RunCommand,
): Promise<void> {
  if (!/^(127\.|::1$|::ffff:127\.)/.test(request.socket.remoteAddress ?? "")) {
    respond(response, 403, { message: "The control API accepts requests only from this machine." });
    return;
  }
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://fake");
  const command = `${request.method} ${pathname.slice(controlPath.length)}`;
  try {
    respond(response, 200, await run(command, searchParams, readBody(body)));
  } catch (error) {
    const status = error instanceof ControlError ? 400 : 500;
    respond(response, status, { message: error instanceof Error ? error.message : "" });
  }
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(`${JSON.stringify(body, null, 2)}\n`);
}

function readBody(bytes: Buffer): JsonObject {
  if (bytes.length === 0) return {};
  const body: unknown = JSON.parse(bytes.toString("utf8"));
  if (!isObject(body)) throw new ControlError("The body must be a JSON object.");
  return body;
}

/** Returns the number in the body of a command, or the preset if the body does not contain it. */
export function countField(body: JsonObject, name: string, preset: number): number {
  const value = body[name] ?? preset;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new ControlError(`${name} must be a non-negative integer.`);
}

/**
 * Returns the records whose fields equal those of the query. A field that is an object, such as `state`, is compared by
 * its `kind`.
 */
export function matching<Item extends object>(
  records: Iterable<Item>,
  query: URLSearchParams,
): readonly Item[] {
  const wanted = [...query.entries()];
  const textOf = (value: unknown) => (isObject(value) ? String(value.kind) : String(value));
  return [...records].filter((record) =>
    wanted.every(([name, text]) => textOf(record[name as keyof Item]) === text),
  );
}
