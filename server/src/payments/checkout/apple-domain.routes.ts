import type { FastifyInstance } from "fastify";
import type { Database } from "../../platform/database/database.ts";
import type { Access } from "../../platform/http/access.ts";
import { readDomainAssociation } from "../../vault/wallets/configurations/wallet-configuration.sql.ts";

const access: Access = { authentication: "public", limit: "pages" };

/**
 * Serves the file by which Apple verifies the domain of the hosted payment page, if an operator has stored one
 * (https://developer.apple.com/help/account/configure-app-capabilities/configure-apple-pay-on-the-web).
 */
export function serveAppleDomainAssociation(
  app: FastifyInstance,
  { database }: { readonly database: Pick<Database, "read"> },
): void {
  app.get(
    "/.well-known/apple-developer-merchantid-domain-association",
    { config: { access } },
    async (_request, reply) => {
      const file = await readDomainAssociation(database.read);
      if (file === null) return reply.callNotFound();
      return reply.type("text/plain; charset=utf-8").send(file);
    },
  );
}
