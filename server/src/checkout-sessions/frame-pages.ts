import fastifyStatic from "@fastify/static";
import { type EmbedManifest, frameDocument } from "@florin/embed/src/frame/document.ts";
import type { FastifyInstance } from "fastify";
import { noSuch } from "../primitives/api-error.ts";
import { parseId } from "../primitives/ids.ts";
import { readSessionById } from "./checkout-session.sql.ts";
import { framingOrigins } from "./frame-session.ts";
import { protectPage } from "./protect-page.ts";
import type { SessionDeps } from "./session-deps.ts";

/** What the embed's build wrote, and where. */
export type EmbedFiles = { readonly directory: string; readonly manifest: EmbedManifest };

const loaderPath = "/embed.js";

/** The card form as a page and in a frame, and the loader that mounts it. */
export function serveFramePages(app: FastifyInstance, deps: SessionDeps, embed: EmbedFiles): void {
  const { accounts } = deps;
  const { database } = deps.charges;

  app.register(fastifyStatic, {
    root: embed.directory,
    prefix: "/embed/",
    // The loader has an address of its own, below; under /embed/ it would be kept for a year.
    allowedPath: (path, _root, request) =>
      path.startsWith("/assets/") || request.routeOptions.url === loaderPath,
    wildcard: false,
    immutable: true,
    maxAge: "365d",
    cacheControl: true,
    index: false,
  });

  // The loader stands in merchants' pages under this name for ever, so browsers ask whether it changed.
  app.get(loaderPath, (_request, reply) =>
    reply
      .header("access-control-allow-origin", "*")
      .header("cross-origin-resource-policy", "cross-origin")
      .sendFile(embed.manifest.loader, { maxAge: "5m", immutable: false }),
  );

  app.get<{ Params: { id: string } }>("/embed/:id", async (request, reply) => {
    const id = parseId("cs", request.params.id);
    const session = id && (await readSessionById(database.read, id));
    if (!session) throw noSuch("checkout session", request.params.id);
    const account = await accounts.get(session.owner.account);
    const surface = request.headers["sec-fetch-dest"] === "iframe" ? "frame" : "page";
    protectPage(reply, { origins: framingOrigins(session, account) });
    return reply.send(
      frameDocument({ manifest: embed.manifest, merchantName: account.name, surface }),
    );
  });
}
