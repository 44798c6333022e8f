import type { Admit } from "../http/caller.ts";
import type { Authenticate } from "./authenticate.ts";

/**
 * Who asks: a server by its key or, where there is none and an account is named, a person by their browser's session.
 * Both go through the same gate to the same handlers, so the dashboard can do nothing that the API cannot.
 */
export function openAdmission(authenticate: Authenticate, admitPerson: Admit): Admit {
  return (request) => {
    const { authorization, "florin-account": account } = request.headers;
    return authorization === undefined && account !== undefined
      ? admitPerson(request)
      : authenticate(authorization);
  };
}
