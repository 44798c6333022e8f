import type { Admit } from "../../platform/http/caller.ts";
import type { Authenticate } from "./authenticate-key.ts";

/**
 * Authenticates a request by its secret key. A request without an Authorization header but with a `Florin-Account`
 * header is authenticated by the person's session cookie. The same checks and handlers follow in both cases, so the
 * dashboard can do nothing that the API cannot (docs/decisions/0024-people-and-keys-share-one-api.md).
 */
export function createAuthentication(authenticate: Authenticate, admitPerson: Admit): Admit {
  return (request) => {
    const { authorization, "florin-account": account } = request.headers;
    return authorization === undefined && account !== undefined
      ? admitPerson(request)
      : authenticate(authorization);
  };
}
