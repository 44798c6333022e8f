import assert from "node:assert/strict";
import type { OperatorProposal, ProposalKind, Terms } from "@florin/contract/operator.ts";
import { noSuch, noSuchParameter } from "../../core/api-error.ts";
import type { AccountId, PersonId } from "../../core/ids.ts";
import { readAccount, updateAccountTerms } from "../../identity/accounts/account.sql.ts";
import { readPerson, readPersonByEmail, setOperator } from "../../identity/people/person.sql.ts";
import { resetSecondFactor } from "../../identity/people/reset-second-factor.ts";
import type { AuditValues } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import { announceAccount } from "../../webhooks/events/announce-account.ts";
import { readApplication } from "../underwriting/application.sql.ts";
import { changedConcurrently, decideApplication } from "../underwriting/decide-application.ts";
import {
  activateConnection,
  type ConnectionAction,
  changeAssignment,
  createAssignment,
  isConnectionActionApplicable,
  replaceSecrets,
} from "./connection-actions.ts";
import { termsOf, withTerms } from "./operator-account-object.ts";
import type { OperatorDeps } from "./operator-deps.ts";
import { causeOf, type OperatorRequest, operatorAuditEntry } from "./operator-request.ts";
import { listTeam } from "./team.sql.ts";

/** A change that requires a second operator if FLORIN_FOUR_EYES is on, with all data needed to apply it. */
export type SensitiveAction =
  | ConnectionAction
  | {
      readonly kind: "approve_application";
      readonly account: AccountId;
      /** The version of the application that the proposer read. */
      readonly version: number;
    }
  | {
      readonly kind: "change_terms";
      readonly account: AccountId;
      /** The terms that the proposer saw. The change is rejected if the terms have changed since then. */
      readonly before: Terms;
      readonly terms: Terms;
    }
  | { readonly kind: "add_operator"; readonly email: string }
  | { readonly kind: "reset_operator_factor"; readonly person: PersonId }
  | {
      readonly kind: "reset_member_factor";
      readonly account: AccountId;
      readonly person: PersonId;
    };

type ActOf<Kind extends ProposalKind> = Extract<SensitiveAction, { kind: Kind }>;

/** The reason for the change and, if a proposal was confirmed, that proposal. */
export type Grounds = {
  readonly reason: string;
  /** The encrypted secrets that the change stores. */
  readonly secrets: Buffer | null;
  readonly proposal?: Pick<OperatorProposal, "id"> & { readonly proposedBy: PersonId };
};

/** Performs and records the change, in the transaction of the request or of the confirmation. */
export async function performSensitiveAction(
  deps: OperatorDeps,
  tx: Tx,
  request: OperatorRequest,
  action: SensitiveAction,
  grounds: Grounds,
): Promise<void> {
  const recorded = { reason: grounds.reason, also: proposalIn(grounds) };
  switch (action.kind) {
    case "approve_application":
      return approve(deps, tx, request, action, grounds);
    case "change_terms":
      return changeTerms(deps, tx, request, action, grounds);
    case "add_operator":
      return addOperator(deps, tx, request, action, grounds);
    case "reset_operator_factor":
      return resetOperator(deps, tx, request, action, grounds);
    case "reset_member_factor":
      return resetMember(deps, tx, request, action, grounds);
    case "activate_connection":
      return activateConnection(deps, tx, request, action, recorded);
    case "replace_secrets": {
      const { secrets } = grounds;
      assert(secrets, "proposal: the secrets are missing");
      return replaceSecrets(deps, tx, request, action, { ...recorded, secrets });
    }
    case "create_assignment":
      return createAssignment(deps, tx, request, action, recorded);
    case "change_assignment":
      return changeAssignment(deps, tx, request, action, recorded);
  }
}

/**
 * Returns whether the change is still possible and its object has not changed since the proposer read it. Unlike
 * `performSensitiveAction`, takes no locks and writes no audit entries.
 */
export async function isApplicable(read: Sql, action: SensitiveAction): Promise<boolean> {
  switch (action.kind) {
    case "approve_application": {
      const application = await readApplication(read, action.account);
      const account = await readAccount(read, action.account);
      return application?.version === action.version && account?.status === "test_only";
    }
    case "change_terms": {
      const account = await readAccount(read, action.account);
      return account !== null && isSame(termsOf(account), action.before);
    }
    case "add_operator": {
      const person = await readPersonByEmail(read, action.email);
      return person !== null && !person.operator;
    }
    case "reset_operator_factor":
      return isOperator(read, action.person);
    case "reset_member_factor": {
      const team = await listTeam(read, action.account);
      return team.some(({ id }) => id === action.person);
    }
    case "activate_connection":
    case "replace_secrets":
    case "create_assignment":
    case "change_assignment":
      return isConnectionActionApplicable(read, action);
  }
}

async function approve(
  { clock, isConnected }: OperatorDeps,
  tx: Tx,
  request: OperatorRequest,
  { account, version }: ActOf<"approve_application">,
  grounds: Grounds,
): Promise<void> {
  const { reason } = grounds;
  const { person } = request.caller;
  const transition = { kind: "approve" } as const;
  const cause = causeOf(request);
  const decided = { account, version, transition, person, reason, cause, isConnected };
  const { status } = await decideApplication(tx, decided, clock.now());
  const after = { application_status: status, ...proposalIn(grounds) };
  const done = { account, action: "account.approved", object: account, after, reason } as const;
  await recordAuditEntry(tx, operatorAuditEntry(request, done), clock);
}

async function changeTerms(
  { clock, isConnected }: OperatorDeps,
  tx: Tx,
  request: OperatorRequest,
  { account, before, terms }: ActOf<"change_terms">,
  grounds: Grounds,
): Promise<void> {
  const known = await readAccount(tx, account);
  if (!known) throw noSuch("account", account);
  if (!isSame(termsOf(known), before)) throw changedConcurrently();
  await updateAccountTerms(tx, withTerms(known, terms));
  await announceAccount(tx, known, { cause: causeOf(request), now: clock.now(), isConnected });
  const after = { ...terms, ...proposalIn(grounds) };
  const done = { account, action: "account.terms_changed", object: account } as const;
  const change = { before, after, reason: grounds.reason };
  await recordAuditEntry(tx, operatorAuditEntry(request, { ...done, ...change }), clock);
}

async function addOperator(
  { clock }: OperatorDeps,
  tx: Tx,
  request: OperatorRequest,
  { email }: ActOf<"add_operator">,
  grounds: Grounds,
): Promise<void> {
  const person = await readPersonByEmail(tx, email);
  if (!person) throw noSuchParameter("person", email, "email");
  await setOperator(tx, person.id, true);
  const after = { operator: true, email: person.email, ...proposalIn(grounds) };
  const done = { account: null, action: "operator.added", object: person.id } as const;
  const entry = operatorAuditEntry(request, { ...done, after, reason: grounds.reason });
  await recordAuditEntry(tx, entry, clock);
}

async function resetOperator(
  { clock }: OperatorDeps,
  tx: Tx,
  request: OperatorRequest,
  { person }: ActOf<"reset_operator_factor">,
  grounds: Grounds,
): Promise<void> {
  if (!(await isOperator(tx, person))) throw noSuch("operator", person);
  await resetSecondFactor(tx, person, clock.now());
  const after = proposalIn(grounds);
  const done = { account: null, action: "operator.second_factor_reset", object: person } as const;
  const entry = operatorAuditEntry(request, { ...done, after, reason: grounds.reason });
  await recordAuditEntry(tx, entry, clock);
}

async function resetMember(
  { clock }: OperatorDeps,
  tx: Tx,
  request: OperatorRequest,
  { account, person }: ActOf<"reset_member_factor">,
  grounds: Grounds,
): Promise<void> {
  const team = await listTeam(tx, account);
  if (!team.some(({ id }) => id === person)) throw noSuch("person", person);
  await resetSecondFactor(tx, person, clock.now());
  const after = proposalIn(grounds);
  const done = { account, action: "member.second_factor_reset", object: person } as const;
  const entry = operatorAuditEntry(request, { ...done, after, reason: grounds.reason });
  await recordAuditEntry(tx, entry, clock);
}

/** Returns the confirmed proposal and its proposer, for the audit entry of the change. */
function proposalIn({ proposal }: Grounds): AuditValues {
  return proposal ? { proposal: proposal.id, proposed_by: proposal.proposedBy } : {};
}

export async function isOperator(read: Sql, person: PersonId): Promise<boolean> {
  return (await readPerson(read, person))?.operator === true;
}

function isSame(one: Terms, other: Terms): boolean {
  return canonical(one) === canonical(other);
}

/** Returns JSON with sorted property names, because jsonb does not preserve their order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, part) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
