import type { CardNetwork } from "@florin/contract/payment-method.ts";
import { ApiError } from "../../core/api-error.ts";
import type { AccountId, AssignmentId, ConnectionId } from "../../core/ids.ts";
import { assertTransition, type Transitions } from "../../core/transitions.ts";
import type { Connection } from "./connection.ts";

export type AssignmentState = "active" | "ended";

/** A merchant's use of a connection for live charges. */
export type Assignment = AssignmentFacts &
  ({ readonly state: "active" } | { readonly state: "ended"; readonly endedAt: Date });

type AssignmentFacts = AssignmentTerms & {
  readonly id: AssignmentId;
  readonly account: AccountId;
  readonly connection: ConnectionId;
  readonly version: number;
};

/** The settings of an assignment. An operator can change all of them except `merchantAccount`. */
export type AssignmentTerms = {
  /** The merchant's account at the acquirer. It does not change, because refunds of earlier charges need it. */
  readonly merchantAccount: string;
  /** The merchant category code (ISO 18245). */
  readonly mcc: string;
  /** The text on the cardholder's bank statement. Null means the text of the merchant account. */
  readonly descriptor: string | null;
  /** The acquirer's BIN, for 3-D Secure. */
  readonly acquirerBin: string | null;
  /** The currencies of charges that the assignment accepts. Null means all currencies that the connection accepts. */
  readonly currencies: readonly string[] | null;
  readonly networks: readonly CardNetwork[] | null;
  /** The issuer countries of charges that the assignment accepts. Null means all countries. */
  readonly countries: readonly string[] | null;
  /** The assignment with the lowest number is tried first. */
  readonly priority: number;
};

export const assignmentTransitions: Transitions<AssignmentState> = {
  active: { ended: "ended by an operator" },
  ended: {},
};

/** Returns whether accounts can be assigned to the connection. The connection need not be active yet. */
export function acceptsAssignments({ state }: Connection): boolean {
  return state !== "draining" && state !== "retired";
}

/** Returns a new assignment. Throws for a connection that will accept no new charges. */
export function newAssignment(
  facts: AssignmentTerms & Pick<Assignment, "id" | "account">,
  connection: Connection,
): Assignment {
  if (!acceptsAssignments(connection)) {
    throw new ApiError(
      "status_transition_invalid",
      `The connection is '${connection.state}' and accepts no new charges. Assign another connection.`,
      { param: "connection" },
    );
  }
  return { ...facts, connection: connection.id, state: "active", version: 1 };
}

export function withTerms(
  assignment: Assignment,
  terms: Partial<Omit<AssignmentTerms, "merchantAccount">>,
): Assignment {
  assertActive(assignment, "be changed");
  return { ...assignment, ...terms };
}

export function endAssignment(assignment: Assignment, now: Date): Assignment {
  assertActive(assignment, "be ended");
  assertTransition(assignmentTransitions, assignment.id, assignment.state, "ended");
  return { ...assignment, state: "ended", endedAt: now };
}

function assertActive({ state }: Assignment, purpose: string): void {
  if (state === "active") return;
  throw new ApiError(
    "status_transition_invalid",
    `The assignment is '${state}'. It must be 'active' to ${purpose}.`,
  );
}
