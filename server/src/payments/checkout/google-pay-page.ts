import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  googleOrigin,
  googlePayDocument,
  googlePayPolicy,
  googlePayScriptPath,
} from "@florin/embed/src/google-pay/document.ts";
import type { FastifyInstance } from "fastify";
import { parseId } from "../../core/ids.ts";
import { cspReportPath } from "../../platform/http/csp-reports.ts";
import { permissionsPolicy } from "../../platform/http/protect-page.ts";
import { inertPolicy, sendPlainNotFound } from "../../platform/http/second-origin.ts";
import { readSessionById } from "../sessions/checkout-session.sql.ts";
import { statusAt } from "../sessions/checkout-session.ts";
import { framingOrigins } from "../sessions/merchant-urls.ts";
import type { EmbedFiles } from "./frame-pages.ts";
import { googlePayPath } from "./offered-wallets.ts";
import type { SessionDeps } from "./session-deps.ts";

/**
 * Serves the page with Google Pay's button and the page's script at the second origin. The page contains no data of the
 * session: the card form sends it the amount and the merchant's name.
 */
export function serveGooglePayPage(
  app: FastifyInstance,
  { charges, accounts }: SessionDeps,
  embed: EmbedFiles,
): void {
  const { database, clock, links } = charges;
  const { manifest } = embed;
  const ofSecondOrigin = { config: { secondOrigin: true as const } };
  let script: Promise<Buffer> | undefined;

  app.get<{ Params: { id: string } }>(
    `${googlePayPath}/:id`,
    ofSecondOrigin,
    async ({ params }, reply) => {
      const id = parseId("cs", params.id);
      const session = id && (await readSessionById(database.read, id));
      if (!session || statusAt(session, clock.now()) !== "open") return sendPlainNotFound(reply);
      const account = await accounts.get(session.scope.account);
      const serviceOrigin = links.baseUrl();
      const nonce = randomBytes(16).toString("base64");
      const policy = googlePayPolicy({
        serviceOrigin,
        nonce,
        ancestors: [serviceOrigin, ...framingOrigins(session, account)],
        reportUrl: `${serviceOrigin}${cspReportPath}`,
      });
      return reply
        .headers({
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": policy,
          "permissions-policy": permissionsPolicy(["self", new URL(googleOrigin)]),
          // Keeps the page in its own process, even in a browser that otherwise groups pages by site.
          "origin-agent-cluster": "?1",
          "referrer-policy": "strict-origin",
          "x-content-type-options": "nosniff",
          "x-robots-tag": "noindex",
        })
        .send(googlePayDocument({ manifest, serviceOrigin, nonce }));
    },
  );

  app.get(googlePayScriptPath(manifest), ofSecondOrigin, async (_request, reply) => {
    script ??= readFile(join(embed.directory, manifest.googlePayScript));
    return reply
      .headers({
        "content-type": "text/javascript; charset=utf-8",
        // If a popup opened this file, the popup would otherwise be a document of the second origin without a policy.
        "content-security-policy": inertPolicy,
        "cache-control": "public, max-age=31536000, immutable",
        "x-content-type-options": "nosniff",
      })
      .send(await script);
  });
}
