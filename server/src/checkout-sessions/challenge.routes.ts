import type { FastifyInstance } from "fastify";
import { authenticateCharge, type ChallengeResult } from "../charges/authenticate-charge.ts";
import { readCharge } from "../charges/charge.sql.ts";
import type { Charge } from "../charges/charge.ts";
import { noSuch } from "../primitives/api-error.ts";
import { type ChargeId, parseId } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import { challengeDocument, challengeStyle } from "./challenge-document.ts";
import { readSession } from "./checkout-session.sql.ts";
import type { ClientSecrets } from "./client-secret.ts";
import { framingOrigins } from "./frame-session.ts";
import { protectPage } from "./protect-page.ts";
import type { SessionDeps } from "./session-deps.ts";

type Place = { account: string; mode: string; id: string; secret: string };

const results: readonly ChallengeResult[] = ["authenticated", "failed", "canceled"];

/** Where a charge's cardholder proves who they are. The path names the account, as every statement does. */
export function challengePath(
  secrets: ClientSecrets,
  { id, owner }: Pick<Charge, "id" | "owner">,
): string {
  const mode = owner.livemode ? "live" : "test";
  return `/challenge/${owner.account}/${mode}/${id}/${secrets.of(owner, id)}`;
}

/** The simulated bank's page: a person decides how the authentication ends. */
export function serveChallenges(app: FastifyInstance, deps: SessionDeps): void {
  const { charges, accounts, clientSecrets, embedUrlOf } = deps;
  const { database } = charges;

  app.register(async (pages) => {
    // A form post carries nothing but which button it was, and that stands in the path.
    pages.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string" },
      (_request, _body, done) => done(null, undefined),
    );

    pages.get("/challenge/challenge.css", (_request, reply) =>
      reply.header("content-type", "text/css; charset=utf-8").send(challengeStyle),
    );

    pages.get<{ Params: Place }>(
      "/challenge/:account/:mode/:id/:secret",
      async (request, reply) => {
        const charge = await find(request.params);
        protectPage(reply, { origins: await originsOf(charge), formAction: "'self'" });
        return reply.send(challengeDocument(charge, request.url));
      },
    );

    for (const result of results) {
      pages.post<{ Params: Place }>(
        `/challenge/:account/:mode/:id/:secret/${result}`,
        async (request, reply) => {
          const charge = await find(request.params);
          if (charge.status === "requires_action")
            await authenticateCharge(charges, charge, result);
          // Without a session there is no form around this page, and the way back is the merchant's.
          if (charge.returnUrl && !charge.checkoutSessionId) {
            return reply.redirect(charge.returnUrl, 303);
          }
          // On our own page the window itself came here, and goes back to the session's page.
          if (charge.checkoutSessionId && request.headers["sec-fetch-dest"] === "document") {
            const session = { id: charge.checkoutSessionId, owner: charge.owner };
            return reply.redirect(embedUrlOf(session), 303);
          }
          return reply.redirect(request.url.slice(0, -`/${result}`.length), 303);
        },
      );
    }
  });

  async function find({ account, mode, id, secret }: Place): Promise<Charge> {
    const owner = ownerOf(account, mode);
    const chargeId: ChargeId | null = parseId("ch", id);
    const opens = owner && chargeId && clientSecrets.matches(owner, chargeId, secret);
    const charge = opens ? await readCharge(database.read, owner, chargeId) : null;
    if (!charge) throw noSuch("charge", id);
    return charge;
  }

  async function originsOf({ owner, checkoutSessionId }: Charge): Promise<string[]> {
    const session =
      checkoutSessionId && (await readSession(database.read, owner, checkoutSessionId));
    return session ? framingOrigins(session, await accounts.get(owner.account)) : [];
  }
}

function ownerOf(account: string, mode: string): Owner | null {
  const id = parseId("acct", account);
  if (!id || (mode !== "test" && mode !== "live")) return null;
  return { account: id, livemode: mode === "live" };
}
