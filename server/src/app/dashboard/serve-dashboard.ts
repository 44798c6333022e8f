import { readFileSync } from "node:fs";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply } from "fastify";
import { ignoreRangeRequests } from "../../platform/http/ignore-range-requests.ts";

/** The directory of the dashboard's build. */
export type DashboardFiles = { readonly directory: string };

export type DashboardOptions = DashboardFiles & {
  /** The origin of the card form. On a developer's machine its host name may differ from the dashboard's. */
  readonly publicUrl: () => string;
};

/**
 * Returns the Content Security Policy of the dashboard. It allows scripts, styles and connections only from our origin,
 * and lets no page frame the dashboard. The dashboard may frame the card form for its playground. Trusted Types prevent
 * injected text from becoming markup or code.
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
    // The name of the policy that the playground uses to insert the card form's loader script.
    "trusted-types florin-card-form",
  ].join("; ");

/** Allows passkeys and the clipboard, and no other browser feature. */
const permissions = [
  "publickey-credentials-get=(self)",
  "publickey-credentials-create=(self)",
  "clipboard-write=(self)",
  ...["camera", "geolocation", "microphone", "payment", "usb", "browsing-topics"].map(
    (feature) => `${feature}=()`,
  ),
].join(", ");

/**
 * Serves the dashboard's assets, and one page for all its paths, with client-side routing. The files contain no
 * merchant data. All data comes from the API, with the session of the signed-in person.
 */
export function serveDashboard(
  app: FastifyInstance,
  { directory, publicUrl }: DashboardOptions,
): void {
  const page = readFileSync(join(directory, "index.html"));

  ignoreRangeRequests(app);
  app.register(fastifyStatic, {
    root: directory,
    prefix: "/dashboard/",
    decorateReply: false,
    wildcard: false,
    index: false,
    cacheControl: false,
    acceptRanges: false,
    globIgnore: ["index.html", "**/*.br", "**/*.gz"],
    preCompressed: true,
    setHeaders(reply, path) {
      // Files with a content hash in their name never change.
      const hasContentHash = path.includes("/assets/");
      reply.headers({
        "cache-control": hasContentHash ? "public, max-age=31536000, immutable" : "no-cache",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
      });
    },
  });

  const sendPage = (_request: unknown, reply: FastifyReply) =>
    reply
      .headers({
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy(publicUrl()),
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": permissions,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-robots-tag": "noindex",
      })
      .send(page);
  // A page that was loaded before an update requests files that the update deleted. On a 404 the page reloads itself.
  app.get("/dashboard/assets/*", (_request, reply) => reply.callNotFound());
  app.get("/dashboard", sendPage);
  app.get("/dashboard/*", sendPage);
  app.get("/", (_request, reply) => reply.redirect("/dashboard"));
}
