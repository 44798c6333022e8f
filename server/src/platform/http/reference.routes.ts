import { createHash } from "node:crypto";
import type { OpenApiDocument } from "@florin/contract/openapi.ts";
import type { FastifyInstance } from "fastify";
import { apiReferencePage, basePlaceholder, type ReferenceTestCard } from "./api-reference-page.ts";
import { createCompressed } from "./compressed.ts";
import { escapeHtml } from "./escape-html.ts";
import { referenceStyle } from "./reference-style.ts";

/** Allows only our own style, by its hash. The page runs no script and loads nothing. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(referenceStyle).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

type ReferenceOptions = {
  /** Returns the URL for the examples. It is known only after the server listens. */
  readonly publicUrl: () => string;
  /** The test cards of the simulator. */
  readonly testCards?: readonly ReferenceTestCard[];
};

/**
 * Serves the reference: `/openapi.json` for machines and `/docs` for people. Both are rendered once from the same
 * document.
 */
export function referencePages(
  app: FastifyInstance,
  document: OpenApiDocument,
  { publicUrl, testCards = [] }: ReferenceOptions,
): void {
  const sendDocument = createCompressed("application/json; charset=utf-8", () =>
    JSON.stringify(document),
  );
  const sendPage = createCompressed("text/html; charset=utf-8", () =>
    apiReferencePage(document, testCards).replaceAll(basePlaceholder, escapeHtml(publicUrl())),
  );

  app.get("/openapi.json", (request, reply) => {
    // Tools on any origin may read the document, because it is public.
    reply.header("access-control-allow-origin", "*");
    return sendDocument(request, reply);
  });

  for (const path of ["/docs", "/docs/"]) {
    app.get(path, (request, reply) => {
      reply.header("content-security-policy", contentSecurityPolicy);
      reply.header("referrer-policy", "no-referrer");
      return sendPage(request, reply);
    });
  }
}
