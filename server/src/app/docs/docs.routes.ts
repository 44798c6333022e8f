import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { OpenApiDocument } from "@florin/contract/openapi.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createCompressed } from "../../platform/http/compressed.ts";
import { notFoundText } from "../../platform/http/error-page.ts";
import { escapeHtml } from "../../platform/http/escape-html.ts";
import { apiPages } from "./api-pages.ts";
import type { ReferenceTestCard } from "./api-test-cards.ts";
import { llmsText, searchIndex } from "./docs-index.ts";
import { basePlaceholder, type DocsPage, renderPage } from "./docs-page.ts";
import { docsStyle } from "./docs-style.ts";
import { type BuiltGuides, readGuides } from "./guides.ts";

/** Allows only our own files. Trusted Types prevent text from becoming markup or code. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

export type DocsOptions = {
  /** Returns the URL for the examples. The URL is known only after the server has started to listen. */
  readonly publicUrl: () => string;
  /** The test cards of the simulator. */
  readonly testCards?: readonly ReferenceTestCard[];
  /** The directory of the built guides and scripts. Without it, only the API reference is served. */
  readonly directory?: string;
};

type Send = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * Serves the documentation: `/docs` for people, a Markdown file for each page, `/llms.txt`, and `/openapi.json` for
 * machines. The OpenAPI document and the pages are created at the first request. Each page is rendered and compressed
 * once.
 */
export function serveDocs(
  app: FastifyInstance,
  createDocument: () => OpenApiDocument,
  { publicUrl, testCards = [], directory }: DocsOptions,
): void {
  let document: OpenApiDocument | null = null;
  const getDocument = () => (document ??= createDocument());
  const guides = directory === undefined ? null : readGuides(directory);
  let files: Promise<ReadonlyMap<string, Send>> | null = null;
  const createFiles = async () =>
    docsFiles(await apiPages(getDocument(), testCards), guides, publicUrl);
  const fileAt = async (path: string): Promise<Send | undefined> => {
    files ??= createFiles();
    return (await files).get(path);
  };

  const sendDocument = createCompressed("application/json; charset=utf-8", () =>
    JSON.stringify(getDocument()),
  );
  app.get("/openapi.json", (request, reply) => {
    // Tools on any origin may read the document, because it is public.
    reply.header("access-control-allow-origin", "*");
    return sendDocument(request, reply);
  });

  app.notFoundTexts.set("/docs/", notFoundText('<a href="/docs">documentation</a>'));
  app.get("/llms.txt", async (request, reply) =>
    sendFile(await fileAt("llms.txt"), request, reply),
  );
  app.get("/docs", async (request, reply) => sendFile(await fileAt(""), request, reply));
  app.get<{ Params: { "*": string } }>("/docs/*", async (request, reply) => {
    const path = request.params["*"].replace(/\/$/, "");
    return sendFile(await fileAt(path), request, reply);
  });
}

function sendFile(send: Send | undefined, request: FastifyRequest, reply: FastifyReply) {
  if (!send) return reply.callNotFound();
  reply.header("content-security-policy", contentSecurityPolicy);
  reply.header("referrer-policy", "no-referrer");
  return send(request, reply);
}

/** Returns the files below `/docs/` by path. */
function docsFiles(
  api: readonly DocsPage[],
  guides: BuiltGuides | null,
  publicUrl: () => string,
): ReadonlyMap<string, Send> {
  const all = [...(guides?.pages ?? []), ...api];
  const groups = [
    ...(guides?.groups ?? []),
    { title: "API reference", pages: api.map(({ path, title }) => ({ path, title })) },
  ];
  const site = { groups, hasScripts: guides !== null };
  // Without the guides, the introduction of the API reference is the start page.
  const [introduction] = api;
  if (!guides && introduction) all.unshift({ ...introduction, path: "" });

  const files = new Map<string, Send>();
  const add = (path: string, type: string, render: () => string) =>
    files.set(path, createCompressed(type, render));
  for (const page of all) {
    add(page.path, "text/html; charset=utf-8", () =>
      renderPage(page, site).replaceAll(basePlaceholder, escapeHtml(publicUrl())),
    );
    add(`${page.path || "index"}.md`, "text/markdown; charset=utf-8", () =>
      page.markdown.replaceAll(basePlaceholder, publicUrl()),
    );
  }
  add("llms.txt", "text/plain; charset=utf-8", () => llmsText(groups, all, publicUrl()));
  add("search.json", "application/json; charset=utf-8", () =>
    JSON.stringify(searchIndex(groups, all)),
  );
  add("assets/docs.css", "text/css; charset=utf-8", () => docsStyle);
  for (const name of guides ? ["theme.js", "docs.js"] : []) {
    add(`assets/${name}`, "text/javascript; charset=utf-8", () =>
      readFileSync(join(guides?.directory ?? "", name), "utf8"),
    );
  }
  for (const name of guides?.images ?? []) {
    const read = readOnce(join(guides?.directory ?? "", "images", name));
    files.set(`images/${name}`, async (_request, reply) =>
      reply
        .header("cache-control", "no-cache")
        .header("x-content-type-options", "nosniff")
        .type("image/png")
        .send(await read()),
    );
  }
  return files;
}

/**
 * Returns a function that reads the file once. All responses share the bytes, so that a client that does not read its
 * response does not keep a separate copy in memory. A failed read is repeated by the next request.
 */
function readOnce(file: string): () => Promise<Buffer> {
  let bytes: Promise<Buffer> | null = null;
  return () => {
    if (bytes) return bytes;
    bytes = readFile(file);
    bytes.catch(() => {
      bytes = null;
    });
    return bytes;
  };
}
