import { isDeepStrictEqual } from "node:util";
import type { AuditAction } from "@florin/contract/audit-actions.ts";
import {
  type AccountPage,
  ChangeTerms,
  ListAccounts,
  type OperatorAccountObject,
  WithReason,
} from "@florin/contract/operator.ts";
import { noSuch } from "../../core/api-error.ts";
import { type AccountId, parseId } from "../../core/ids.ts";
import { listAccounts, readAccount } from "../../identity/accounts/account.sql.ts";
import type { Account } from "../../identity/accounts/account.ts";
import type { AccountTransition } from "../../identity/accounts/account-status.ts";
import type { SignedIn } from "../../identity/people/session.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import { type BrowserRoute, browserRoute } from "../../platform/http/browser-routes.ts";
import { pageOf } from "../../platform/http/list.ts";
import { ok } from "../../platform/http/route.ts";
import { transitionAccountOnRequest } from "../underwriting/transition-account.ts";
import { describeHistory } from "./application-review.ts";
import { defaultTermsOf, operatorAccountObject, termsOf } from "./operator-account-object.ts";
import type { OperatorDeps } from "./operator-deps.ts";
import {
  accountIn,
  causeOf,
  type OperatorRequest,
  operatorAuditEntry,
  personIn,
  requireRecentStepUp,
} from "./operator-request.ts";
import { proposedResponse } from "./proposal.routes.ts";
import { performOrPropose } from "./propose-action.ts";
import { listTeam } from "./team.sql.ts";

type StatusTransition = Exclude<AccountTransition, "approve">;

const actionOf: Readonly<Record<StatusTransition, AuditAction>> = {
  suspend: "account.suspended",
  reinstate: "account.reinstated",
  close: "account.closed",
};

/** Serves the merchants' accounts: terms, status and team. */
export function accountRoutes(deps: OperatorDeps): BrowserRoute<SignedIn>[] {
  const { database, clock } = deps;
  const route = browserRoute<SignedIn>();
  const onDesk = (account: Account) => operatorAccountObject(account, deps.isConnected);

  return [
    route({
      method: "GET",
      path: "/accounts",
      query: ListAccounts,
      async handle({ query }) {
        const { status, search, starting_after } = query;
        const id = search === undefined ? null : parseId("acct", search);
        if (id) {
          const account = await readAccount(database.read, id);
          return ok({ data: account ? [onDesk(account)] : [], has_more: false });
        }
        const page = pageOf({ limit: 50, ...(starting_after && { starting_after }) }, "acct");
        const found = await listAccounts(database.read, { status, text: search }, page);
        const data = found.slice(0, page.limit).map(onDesk);
        return ok({ data, has_more: found.length > page.limit } satisfies AccountPage);
      },
    }),
    route({
      method: "GET",
      path: "/accounts/:account",
      handle: async (request) => ok(await describe(accountIn(request))),
    }),
    ...(["suspend", "reinstate", "close"] as const).map((transition) =>
      route({
        method: "POST",
        path: `/accounts/:account/${transition}`,
        body: WithReason,
        handle: (request) => applyTransition(request, transition),
      }),
    ),
    route({
      method: "POST",
      path: "/accounts/:account/terms",
      body: ChangeTerms,
      handle: (request) => changeTerms(request),
    }),
    route({
      method: "POST",
      path: "/accounts/:account/team/:person/reset_second_factor",
      body: WithReason,
      handle: (request) => resetSecondFactor(request),
    }),
  ];

  async function describe(id: AccountId): Promise<OperatorAccountObject> {
    const account = await readAccount(database.read, id);
    if (!account) throw noSuch("account", id);
    const [team, history] = await Promise.all([
      listTeam(database.read, id),
      describeHistory(deps, id),
    ]);
    return {
      account: onDesk(account),
      default_terms: defaultTermsOf(account, deps.defaultRequestsPerSecond),
      team: team.map(({ secondFactor, ...member }) => ({ ...member, second_factor: secondFactor })),
      history,
    };
  }

  async function applyTransition(
    request: OperatorRequest<WithReason>,
    transition: StatusTransition,
  ) {
    const now = clock.now();
    requireRecentStepUp(request, now);
    const account = accountIn(request);
    const { reason } = request.body;
    await database.transaction(async (tx) => {
      const { isConnected } = deps;
      const cause = causeOf(request);
      const details = { person: request.caller.person, text: reason, cause, now, isConnected };
      await transitionAccountOnRequest(tx, account, transition, details);
      const done = { account, action: actionOf[transition], object: account, reason };
      await recordAuditEntry(tx, operatorAuditEntry(request, done), clock);
    });
    deps.wakeDeliveries();
    return ok(await describe(account));
  }

  async function changeTerms(request: OperatorRequest<ChangeTerms>) {
    requireRecentStepUp(request, clock.now());
    const account = accountIn(request);
    const { terms, reason } = request.body;
    const known = await readAccount(database.read, account);
    if (!known) throw noSuch("account", account);
    if (isDeepStrictEqual(termsOf(known), terms)) return ok(await describe(account));
    const action = { kind: "change_terms", account, before: termsOf(known), terms } as const;
    const proposal = await performOrPropose(deps, request, action, reason);
    return proposal ? proposedResponse(deps, proposal, request) : ok(await describe(account));
  }

  /**
   * Resets the second factors of a member who lost all of them. The reason states how the operator identified the
   * person.
   */
  async function resetSecondFactor(request: OperatorRequest<WithReason>) {
    requireRecentStepUp(request, clock.now());
    const account = accountIn(request);
    const person = personIn(request);
    const action = { kind: "reset_member_factor", account, person } as const;
    const proposal = await performOrPropose(deps, request, action, request.body.reason);
    return proposal ? proposedResponse(deps, proposal, request) : ok(await describe(account));
  }
}
