import assert from "node:assert/strict";
import type { Reply } from "../../client.ts";
import type { Target } from "./request.ts";

/**
 * Asserts what every response must satisfy, including responses without a schema: an error contains the error envelope
 * as JSON, a JSON body is an object, and a page has a doctype. `responseCheckOf` validates the envelope's fields.
 */
export function assertWellFormed(
  { route, group }: Pick<Target, "route" | "group">,
  method: string,
  reply: Reply,
): void {
  const { status, text, body, isJson, headers } = reply;
  const type = headers.get("content-type") ?? "";
  if (method === "HEAD" || status === 204 || status === 304) {
    assert.equal(text, "", `${status} has a body`);
    return;
  }
  if (status >= 300 && status < 400) {
    assert.match(headers.get("location") ?? "", /^\//, `${status} without a location`);
    return;
  }
  assert.notEqual(type, "", `${status} has no content type`);
  if (isJson) assert.ok(typeof body === "object" && body !== null && !Array.isArray(body), text);
  if (type.startsWith("text/html")) assert.match(text, /^<!doctype html>/i);
  if (status >= 400) {
    // The simulated issuer returns errors to cardholders as pages.
    const isPage = route.includes("/simulator/three-d-secure/") && type.startsWith("text/html");
    assert.ok(
      isPage || typeof body?.error?.code === "string",
      `${status} is not an error envelope: ${text}`,
    );
    return;
  }
  const isPrivate =
    group === "people" || (group === "admin console" && !/documents|csv/.test(route));
  if (isPrivate || (group === "card form" && !route.startsWith("GET /challenge"))) {
    assert.ok(isJson, `${status} is not JSON: ${type}`);
  }
}
