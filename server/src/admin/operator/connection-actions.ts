import {
  insertAssignment,
  readAssignment,
  updateAssignment,
} from "../../acquiring/connections/assignment.sql.ts";
import {
  type Assignment,
  type AssignmentTerms,
  acceptsAssignments,
  newAssignment,
  withTerms,
} from "../../acquiring/connections/assignment.ts";
import {
  changeConnection,
  changedSince,
  readSeenVersion,
  storeSecrets,
} from "../../acquiring/connections/change-connection.ts";
import { lockConnection, readConnection } from "../../acquiring/connections/connection.sql.ts";
import { activate, withNewSecrets } from "../../acquiring/connections/connection.ts";
import { noSuch, noSuchParameter } from "../../core/api-error.ts";
import type { AccountId, AssignmentId, ConnectionId } from "../../core/ids.ts";
import { readAccount } from "../../identity/accounts/account.sql.ts";
import type { AuditValues } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";
import type { OperatorDeps } from "./operator-deps.ts";
import { type OperatorRequest, operatorAuditEntry } from "./operator-request.ts";

/**
 * A change that determines which account at an acquirer receives a merchant's payments, or which sender's notifications
 * about these payments are accepted.
 */
export type ConnectionAction =
  | {
      readonly kind: "activate_connection";
      readonly connection: ConnectionId;
      /** The version that the operator read. */
      readonly version: number;
    }
  | {
      /** The secrets themselves are not part of the action, because it is shown to operators and recorded. */
      readonly kind: "replace_secrets";
      readonly connection: ConnectionId;
      readonly version: number;
      /** The names of the secrets that are replaced. */
      readonly replaced: readonly ("api_key" | "hmac_key")[];
      readonly overlapHours: number;
      /** The time at which the new secrets have passed the connection test. Null if no test was required. */
      readonly testedAt: string | null;
    }
  | {
      readonly kind: "create_assignment";
      readonly account: AccountId;
      readonly assignment: AssignmentId;
      readonly connection: ConnectionId;
      readonly terms: AssignmentTerms;
    }
  | {
      readonly kind: "change_assignment";
      readonly account: AccountId;
      readonly assignment: AssignmentId;
      readonly version: number;
      readonly terms: Partial<AssignmentTerms>;
    };

type Act<Kind extends ConnectionAction["kind"]> = Extract<ConnectionAction, { kind: Kind }>;

type Deps = Pick<OperatorDeps, "clock" | "environment">;

/** The reason for the change, and further values for the audit entry of the change. */
export type Recorded = { readonly reason: string; readonly also: AuditValues };

export async function activateConnection(
  { clock, environment }: Deps,
  tx: Tx,
  request: OperatorRequest,
  { connection: id, version }: Act<"activate_connection">,
  { reason, also }: Recorded,
): Promise<void> {
  const { before, after } = await changeConnection(tx, id, version, (connection) =>
    activate(connection, environment),
  );
  const done = { account: null, action: "connection.activated", object: id, reason } as const;
  const states = { before: { state: before.state }, after: { state: after.state, ...also } };
  await recordAuditEntry(tx, operatorAuditEntry(request, { ...done, ...states }), clock);
}

/** Stores the encrypted secrets. Records their names, but not their values. */
export async function replaceSecrets(
  { clock }: Deps,
  tx: Tx,
  request: OperatorRequest,
  action: Act<"replace_secrets">,
  { reason, also, secrets }: Recorded & { readonly secrets: Buffer },
): Promise<void> {
  const { connection: id, version, replaced, overlapHours } = action;
  const { connection: before } = await readSeenVersion(tx, id, version);
  const now = clock.now();
  const previousUntil = new Date(now.getTime() + overlapHours * 60 * 60_000);
  const testedAt = action.testedAt === null ? null : new Date(action.testedAt);
  const after = withNewSecrets(before, { previousUntil, testedAt, now });
  await storeSecrets(tx, version, after, secrets);
  const values = {
    before: { state: before.state, secrets_version: before.secrets.version },
    after: {
      state: after.state,
      secrets_version: after.secrets.version,
      replaced,
      previous_until: after.secrets.previousUntil?.toISOString() ?? null,
      ...also,
    },
  };
  const done = { account: null, action: "connection.secrets_stored", object: id, reason } as const;
  await recordAuditEntry(tx, operatorAuditEntry(request, { ...done, ...values }), clock);
}

export async function createAssignment(
  { clock }: Deps,
  tx: Tx,
  request: OperatorRequest,
  { account, assignment: id, connection, terms }: Act<"create_assignment">,
  { reason, also }: Recorded,
): Promise<void> {
  if (!(await readAccount(tx, account))) throw noSuchParameter("account", account, "account");
  const stored = await lockConnection(tx, connection);
  if (!stored) throw noSuchParameter("connection", connection, "connection");
  const assignment = newAssignment({ ...terms, id, account }, stored.connection);
  await insertAssignment(tx, assignment);
  const done = { account: null, action: "assignment.created", object: id, reason } as const;
  const after = { ...assignmentValues(assignment), ...also };
  await recordAuditEntry(tx, operatorAuditEntry(request, { ...done, after }), clock);
}

export async function changeAssignment(
  { clock }: Deps,
  tx: Tx,
  request: OperatorRequest,
  { assignment: id, version, terms }: Act<"change_assignment">,
  { reason, also }: Recorded,
): Promise<void> {
  const before = await readAssignment(tx, id);
  if (!before) throw noSuch("assignment", id);
  if (before.version !== version) throw changedSince("assignment");
  const after = withTerms(before, terms);
  if (!(await updateAssignment(tx, version, after))) throw changedSince("assignment");
  const done = { account: null, action: "assignment.updated", object: id, reason } as const;
  const values = {
    before: assignmentValues(before),
    after: { ...assignmentValues(after), ...also },
  };
  await recordAuditEntry(tx, operatorAuditEntry(request, { ...done, ...values }), clock);
}

/** Returns whether the change is still possible and its object has not changed since the proposer read it. */
export async function isConnectionActionApplicable(
  read: Sql,
  action: ConnectionAction,
): Promise<boolean> {
  switch (action.kind) {
    case "activate_connection": {
      const { connection } = (await readConnection(read, action.connection)) ?? {};
      return connection?.version === action.version && connection.state === "tested";
    }
    case "replace_secrets": {
      const { connection } = (await readConnection(read, action.connection)) ?? {};
      return connection?.version === action.version && connection.state !== "retired";
    }
    case "create_assignment": {
      const stored = await readConnection(read, action.connection);
      return stored !== null && acceptsAssignments(stored.connection);
    }
    case "change_assignment": {
      const assignment = await readAssignment(read, action.assignment);
      return assignment?.version === action.version && assignment.state === "active";
    }
  }
}

/** Returns the fields of an assignment in the form of the API, for the audit log. */
export function assignmentValues(assignment: Assignment) {
  const { account, connection, state } = assignment;
  return { account, connection, ...assignmentTermsOf(assignment), state };
}

export function assignmentTermsOf(terms: AssignmentTerms) {
  return {
    merchant_account: terms.merchantAccount,
    mcc: terms.mcc,
    descriptor: terms.descriptor,
    acquirer_bin: terms.acquirerBin,
    currencies: terms.currencies && [...terms.currencies],
    networks: terms.networks && [...terms.networks],
    countries: terms.countries && [...terms.countries],
    priority: terms.priority,
  };
}
