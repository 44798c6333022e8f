import fastifyStatic from "@fastify/static";
import { type EmbedManifest, frameDocument } from "@florin/embed/src/frame/document.ts";
import { acceptedTags } from "@florin/embed/src/frame/locales/choose-locale.ts";
import { sessionNotFoundDocument } from "@florin/embed/src/frame/session-not-found-document.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { noSuch } from "../../core/api-error.ts";
import { parseId } from "../../core/ids.ts";
import type { Account } from "../../identity/accounts/account.ts";
import { opensPage } from "../../platform/http/error-page.ts";
import { ignoreRangeRequests } from "../../platform/http/ignore-range-requests.ts";
import { protectPage } from "../../platform/http/protect-page.ts";
import { readSessionById } from "../sessions/checkout-session.sql.ts";
import { framingOrigins } from "../sessions/merchant-urls.ts";
import { stylesheetName } from "./color-stylesheet.ts";
import { offeredWallets, walletOrigins } from "./offered-wallets.ts";
import type { SessionDeps } from "./session-deps.ts";

/** The output directory and manifest of the embed build. */
export type EmbedFiles = { readonly directory: string; readonly manifest: EmbedManifest };

const loaderPath = "/embed.js";

/** Returns the merchant's name and the stylesheet with the merchant's colors. */
function merchantOf({ name, profile }: Account) {
  const stylesheet = stylesheetName(profile);
  return { name, stylesheet: stylesheet && `/branding/colors/${stylesheet}` };
}

type FramePage = {
  Params: { id: string; "*"?: string };
  Querystring: { locale?: string | string[] };
};

/** Returns the customer's languages in order of preference. */
function localesOf({ query, headers }: FastifyRequest<FramePage>, ofSession: string | null) {
  const ofQuery = [query.locale ?? []].flat()[0];
  return [ofQuery, ofSession, ...acceptedTags(headers["accept-language"])];
}

/** Serves the card form, which works as a page and in a frame, and the loader that mounts it in a merchant's page. */
export function serveFramePages(app: FastifyInstance, deps: SessionDeps, embed: EmbedFiles): void {
  const { accounts } = deps;
  const { database, links } = deps.charges;
  const { manifest } = embed;

  ignoreRangeRequests(app);
  app.register(fastifyStatic, {
    root: embed.directory,
    prefix: "/embed/",
    // The unversioned loader has its own route below. Under /embed/ it would be cached for a year.
    allowedPath: (path, _root, request) =>
      /^\/(assets|loader)\//.test(path) || request.routeOptions.url === loaderPath,
    // Merchants can load these files with an SRI hash, which requires CORS headers.
    setHeaders: (reply) => {
      reply.headers({
        "access-control-allow-origin": "*",
        "cross-origin-resource-policy": "cross-origin",
        "x-content-type-options": "nosniff",
      });
    },
    wildcard: false,
    // Served at the second origin only.
    globIgnore: ["google-pay/**"],
    immutable: true,
    maxAge: "365d",
    cacheControl: true,
    acceptRanges: false,
    index: false,
  });

  // Merchants' pages always load this URL, so browsers must revalidate it to receive a new version.
  app.get(loaderPath, (_request, reply) =>
    reply.sendFile(manifest.loader, { maxAge: "5m", immutable: false }),
  );

  // Returns the URL of the current loader version, whose content never changes, and its `integrity` hash.
  app.get("/embed.json", (_request, reply) => {
    const src = `${links.baseUrl()}/embed/${manifest.pinnedLoader}`;
    const integrity = manifest.loaderIntegrity;
    return reply.header("access-control-allow-origin", "*").send({
      src,
      integrity,
      html: `<script src="${src}" integrity="${integrity}" crossorigin="anonymous"></script>`,
    });
  });

  /**
   * Sends a 404 for a damaged or outdated address. The page names the merchant if the address begins with the ID of a
   * session. Every site may frame the page, because it contains no form, and the session's allowed origins may be
   * unknown.
   */
  async function sendMissing(request: FastifyRequest<FramePage>, reply: FastifyReply) {
    if (!opensPage(request)) throw noSuch("checkout session", request.params.id);
    const [start = ""] = /^cs_[0-9a-z]{26}/.exec(request.params.id) ?? [];
    const id = parseId("cs", start);
    const session = id && (await readSessionById(database.read, id));
    const account = session && (await accounts.get(session.scope.account));
    protectPage(reply, { origins: ["*"] });
    reply.header("vary", "Accept, Accept-Language");
    const locales = localesOf(request, session?.details.locale ?? null);
    return reply
      .code(404)
      .send(
        sessionNotFoundDocument({ manifest, merchant: account && merchantOf(account), locales }),
      );
  }

  // Some clients add a slash to a link. The client secret is in the fragment, which the browser keeps during the
  // redirect.
  function redirectWithoutSlash(request: FastifyRequest<FramePage>, reply: FastifyReply) {
    const query = /\?.*$/.exec(request.url)?.[0] ?? "";
    return reply.redirect(`/embed/${encodeURIComponent(request.params.id)}${query}`);
  }
  app.get<FramePage>("/embed/:id/", redirectWithoutSlash);

  // A copied link can include text that followed it, such as the rest of the line.
  app.get<FramePage>("/embed/:id(^cs_[^/]+)/*", (request, reply) =>
    request.params["*"] ? sendMissing(request, reply) : redirectWithoutSlash(request, reply),
  );

  app.get<FramePage>("/embed/:id", async (request, reply) => {
    const id = parseId("cs", request.params.id);
    const session = id && (await readSessionById(database.read, id));
    if (!session) return sendMissing(request, reply);
    const account = await accounts.get(session.scope.account);
    const surface = request.headers["sec-fetch-dest"] === "iframe" ? "frame" : "page";
    const wallets = await offeredWallets(deps, session, account);
    protectPage(reply, { origins: framingOrigins(session, account), ...walletOrigins(wallets) });
    const locales = localesOf(request, session.details.locale);
    reply.header("vary", "Accept-Language, Sec-Fetch-Dest");
    return reply.send(frameDocument({ manifest, merchant: merchantOf(account), surface, locales }));
  });
}
