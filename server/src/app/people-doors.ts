import { defaultAcquirerTimeoutMs } from "../acquiring/test-network.ts";
import { type OperatorDesk, openOperator } from "../admin/operator/open-operator.ts";
import { readMembershipsOf } from "../identity/accounts/member.sql.ts";
import { openMerchant } from "../identity/accounts/open-merchant.ts";
import { openTeam, type Team } from "../identity/accounts/open-team.ts";
import { openPeople, type People } from "../identity/people/open-people.ts";
import { askAgain } from "../payments/charges/ask-again.ts";
import { openRateLimit } from "../platform/http/rate-limit.ts";
import { openPersonSecrets } from "../vault/person-secrets.ts";
import type { Deps } from "./deps.ts";
import type { AppOptions } from "./options.ts";
import type { Parts } from "./parts.ts";

/** The sign-in surfaces for people: their own account, a merchant's team, and the admin console. */
export type PeopleDoors = {
  readonly people: People;
  readonly team: Team;
  readonly operator: OperatorDesk;
};

/** The rate limit of one operator: requests per second, and the burst size. */
const requestsPerOperatorSecond = 50;

export function openPeopleDoors(parts: Parts, deps: Deps, options: AppOptions): PeopleDoors {
  const { database, clock, keys, idempotencyKeys } = parts;
  const { sendMail = null } = options;
  const sendsMail = sendMail !== null;
  const outboxSecret = sendsMail ? null : (options.outboxSecret ?? null);
  const canMail = sendsMail || outboxSecret !== null;

  const people = openPeople({
    database,
    clock,
    canMail,
    outboxSecret,
    secrets: openPersonSecrets(keys),
    membershipsOf: readMembershipsOf,
    openMerchant: (tx, founder, merchant) => openMerchant(tx, founder, merchant, clock),
    publicUrl: options.publicUrl,
    ...(options.lockOutMs !== undefined && { lockOutMs: options.lockOutMs }),
  });
  const team = openTeam({ database, clock, idempotencyKeys, people, canMail });
  const operator = openOperator({
    ...deps.underwriting,
    sendsMail,
    fourEyes: options.fourEyes ?? false,
    cardSearchHour: options.cardSearchHour ?? null,
    askAgain: (owner, id) => askAgain(deps, owner, id),
    acquirerTimeoutMs: options.acquirerTimeoutMs ?? defaultAcquirerTimeoutMs,
    readSession: people.readSession,
    rateLimit: options.rateLimit === null ? null : openRateLimit(requestsPerOperatorSecond),
  });
  return { people, team, operator };
}
