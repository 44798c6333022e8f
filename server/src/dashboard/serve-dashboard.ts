import { readFileSync } from "node:fs";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply } from "fastify";

/** Where the dashboard's build lies. */
export type DashboardFiles = { readonly directory: string };

export type DashboardOptions = DashboardFiles & {
  /** Where sessions' card forms are; on one machine it may be another of its names than the dashboard's. */
  readonly publicUrl: () => string;
};

/**
 * Only files of our own run and colour the page, it talks to its own origin alone, and nobody frames it. It may frame
 * the card form, which stands in its playground. No text becomes markup or code (trusted types).
 */
const policy = (publicUrl: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    `frame-src 'self' ${new URL(publicUrl).origin}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The one script that is fetched later: the card form's loader, in the playground.
    "trusted-types florin-card-form",
  ].join("; ");

/** What only passkeys and the clipboard need, and nothing else a browser can do. */
const permissions = [
  "publickey-credentials-get=(self)",
  "publickey-credentials-create=(self)",
  "clipboard-write=(self)",
  ...["camera", "geolocation", "microphone", "payment", "usb", "browsing-topics"].map(
    (feature) => `${feature}=()`,
  ),
].join(", ");

/**
 * The dashboard: one page for all its addresses, which decides by itself what to show, and the files that the page asks
 * for. It holds nothing of any merchant's; whatever it shows it reads from the API, as whoever is signed in.
 */
export function serveDashboard(
  app: FastifyInstance,
  { directory, publicUrl }: DashboardOptions,
): void {
  const page = readFileSync(join(directory, "index.html"));

  app.register(fastifyStatic, {
    root: directory,
    prefix: "/dashboard/",
    decorateReply: false,
    wildcard: false,
    index: false,
    cacheControl: false,
    globIgnore: ["index.html", "**/*.br", "**/*.gz"],
    preCompressed: true,
    setHeaders(reply, path) {
      // What carries a hash of its content in its name never changes.
      const forEver = path.includes("/assets/");
      reply.headers({
        "cache-control": forEver ? "public, max-age=31536000, immutable" : "no-cache",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
      });
    },
  });

  const show = (_request: unknown, reply: FastifyReply) =>
    reply
      .headers({
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy(publicUrl()),
        "cache-control": "no-store",
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": permissions,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-robots-tag": "noindex",
      })
      .send(page);
  // A page from before an update asks for files that are gone; told so, it fetches itself anew.
  app.get("/dashboard/assets/*", (_request, reply) => reply.callNotFound());
  app.get("/dashboard", show);
  app.get("/dashboard/*", show);
  app.get("/", (_request, reply) => reply.redirect("/dashboard"));
}
