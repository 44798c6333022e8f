import type { Reply } from "../../client.ts";
import type { Merchant, Operator, Person, startFuzzedService } from "./fuzzed-service.ts";
import type { Credential, FuzzedRequest } from "./request.ts";

/** The credentials for the next requests. */
export type Credentials = {
  readonly merchant: () => Merchant;
  readonly person: () => Person;
  readonly operator: () => Operator;
  /** Replaces the request's credentials if they have become invalid: revoked, signed out, locked or removed. */
  renew(fuzzed: FuzzedRequest, reply: Reply): Promise<void>;
};

/**
 * The number of requests after which even valid credentials are replaced. The objects of the new merchant, person or
 * operator are in other states.
 */
const maxUses = { merchant: 5_000, person: 60, operator: 60 } as const;

export async function createCredentials(
  service: Pick<Awaited<ReturnType<typeof startFuzzedService>>, Credential>,
): Promise<Credentials> {
  const [merchant, person, operator] = await Promise.all([
    service.merchant(),
    service.person(),
    service.operator(),
  ]);
  const current = { merchant, person, operator };
  const uses = { merchant: 0, person: 0, operator: 0 };
  const renewing = new Map<Credential, Promise<void>>();

  async function replace(which: Credential): Promise<void> {
    if (which === "merchant") current.merchant = await service.merchant();
    if (which === "person") current.person = await service.person();
    if (which === "operator") current.operator = await service.operator();
    uses[which] = 0;
  }

  return {
    merchant: () => current.merchant,
    person: () => current.person,
    operator: () => current.operator,
    async renew({ as, sent }, reply) {
      if (!as) return;
      const { cookie, authorization } = sent.headers ?? {};
      const isCurrent =
        cookie === current[as].cookie || authorization === `Bearer ${current.merchant.key}`;
      if (!isCurrent) return;
      const changed = reply.headers.get("set-cookie");
      if (as === "person" && changed && reply.status < 300) replaceCookie(changed);
      if (++uses[as] < maxUses[as] && !isInvalidated(as, reply)) return;
      // Several simultaneous requests may show that the same credentials are invalid. The credentials are replaced only
      // once.
      const renewed = renewing.get(as) ?? replace(as);
      renewing.set(as, renewed);
      await renewed;
      renewing.delete(as);
    },
  };

  /** Replaces the person's session cookie with the one from the response, as a browser does. */
  function replaceCookie(setCookie: string): void {
    const cookie = setCookie.split(";", 1)[0] as string;
    const isSession = cookie.split("=")[0] === current.person.cookie.split("=")[0];
    if (isSession) current.person = { ...current.person, cookie };
  }
}

function isInvalidated(as: Credential, { status, body }: Reply): boolean {
  if (status === 401) return true;
  if (as === "merchant") return status === 404 && /No such account/.test(body?.error?.message);
  // The step-up has expired, the second factor or a permission was removed, or there were too many attempts.
  return status === 403 || status === 429;
}
