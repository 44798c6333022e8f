import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { OpenApiDocument } from "@florin/contract/openapi.ts";
import type { FastifyInstance, FastifyReply } from "fastify";
import { escapeHtml } from "./escape-html.ts";
import { basePlaceholder, type ReferenceTestCard, referencePage } from "./reference-page.ts";
import { referenceStyle } from "./reference-style.ts";

/** Allows only our own style, by its hash. The page runs no script and loads nothing. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(referenceStyle).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * Serves the reference: `/openapi.json` for machines and `/docs` for people. Both are rendered once from the same
 * document. `testCards` is the simulator's table.
 */
export function referencePages(
  app: FastifyInstance,
  document: OpenApiDocument,
  testCards: readonly ReferenceTestCard[] = [],
): void {
  // All responses share these bytes, so that a client that does not read its response costs no copy of half a
  // megabyte.
  const json = Buffer.from(JSON.stringify(document));
  const page = referencePage(document, testCards)
    .split(basePlaceholder)
    .map((part) => Buffer.from(part));

  app.get("/openapi.json", (_request, reply) => {
    // Tools on any origin may read it. It is public.
    reply.header("access-control-allow-origin", "*");
    return send(reply, "application/json; charset=utf-8", json);
  });

  app.get("/docs", (request, reply) => {
    const base = `${request.protocol}://${request.host}`;
    reply.header("content-security-policy", contentSecurityPolicy);
    reply.header("referrer-policy", "no-referrer");
    const parts = between(page, Buffer.from(escapeHtml(base)));
    reply.header("content-length", lengthOf(parts));
    return send(reply, "text/html; charset=utf-8", Readable.from(parts));
  });
}

function between(parts: readonly Buffer[], filling: Buffer): Buffer[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [filling, part]));
}

function lengthOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function send(reply: FastifyReply, type: string, body: Buffer | Readable) {
  return reply
    .header("cache-control", "no-cache")
    .header("x-content-type-options", "nosniff")
    .type(type)
    .send(body);
}
