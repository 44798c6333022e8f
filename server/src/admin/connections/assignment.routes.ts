import {
  Assignment as AssignmentObject,
  AssignmentOrProposal,
  Assignments,
  CreateAssignment,
  EndAssignment,
  ListAssignments,
  UpdateAssignment,
} from "@florin/contract/operator-connections.ts";
import {
  listAssignments,
  readAssignment,
  updateAssignment,
} from "../../acquiring/connections/assignment.sql.ts";
import {
  type Assignment,
  type AssignmentTerms,
  endAssignment,
} from "../../acquiring/connections/assignment.ts";
import { changedSince } from "../../acquiring/connections/change-connection.ts";
import { ApiError, noSuch, noSuchParameter } from "../../core/api-error.ts";
import { unixSeconds } from "../../core/clock.ts";
import { type AssignmentId, createdAt, type Id, newId, parseId } from "../../core/ids.ts";
import { isCurrency } from "../../core/money.ts";
import type { SignedIn } from "../../identity/people/session.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import { type BrowserRoute, browserRoute } from "../../platform/http/browser-routes.ts";
import { pageOf } from "../../platform/http/list.ts";
import { created, ok } from "../../platform/http/route.ts";
import { assertNotOwnAccount } from "../operator/assert-not-own-account.ts";
import { assignmentTermsOf, assignmentValues } from "../operator/connection-actions.ts";
import {
  type OperatorRequest,
  operatorAuditEntry,
  requireRecentStepUp,
} from "../operator/operator-request.ts";
import { proposedResponse } from "../operator/proposal.routes.ts";
import { performOrPropose } from "../operator/propose-action.ts";
import type { ConnectionDeps } from "./connection-deps.ts";

const assignmentsPerPage = 50;

/** Serves the assignments of accounts to connections. Every change requires a recent step-up and is audited. */
export function assignmentRoutes(deps: ConnectionDeps): BrowserRoute<SignedIn>[] {
  const { database, clock, directory } = deps;
  const route = browserRoute<SignedIn>();

  return [
    route({
      method: "GET",
      path: "/assignments",
      query: ListAssignments,
      response: Assignments,
      async handle({ query: { account, connection, state, starting_after } }) {
        const cursor = starting_after === undefined ? {} : { starting_after };
        const page = pageOf({ limit: assignmentsPerPage, ...cursor }, "asg");
        const filter = {
          account: idNamed("acct", "account", account),
          connection: idNamed("con", "connection", connection),
          state: state ?? null,
        };
        const found = await listAssignments(database.read, filter, page);
        const data = found.slice(0, page.limit).map(assignmentObject);
        return ok({ data, has_more: found.length > page.limit });
      },
    }),
    route({
      method: "POST",
      path: "/assignments",
      body: CreateAssignment,
      response: AssignmentOrProposal,
      handle: (request) => create(request),
    }),
    route({
      method: "PATCH",
      path: "/assignments/:assignment",
      body: UpdateAssignment,
      response: AssignmentOrProposal,
      handle: (request) => update(request),
    }),
    route({
      method: "POST",
      path: "/assignments/:assignment/end",
      body: EndAssignment,
      response: AssignmentObject,
      handle: (request) => end(request),
    }),
  ];

  async function create(request: OperatorRequest<CreateAssignment>) {
    const now = clock.now();
    requireRecentStepUp(request, now);
    const { body } = request;
    const account = idNamed("acct", "account", body.account);
    const connection = idNamed("con", "connection", body.connection);
    await assertNotOwnAccount(database.read, account, request.caller.person);
    const id = newId("asg", now);
    const terms = {
      ...defaultTerms,
      ...termsIn(body),
      merchantAccount: body.merchant_account,
      mcc: body.mcc,
    };
    const action = {
      kind: "create_assignment",
      account,
      assignment: id,
      connection,
      terms,
    } as const;
    const proposal = await performOrPropose(deps, request, action, body.reason);
    if (proposal) return proposedResponse(deps, proposal, request);
    await directory.reload();
    return created(assignmentObject(await read(id)));
  }

  async function update(request: OperatorRequest<UpdateAssignment>) {
    requireRecentStepUp(request, clock.now());
    const { account, id: assignment } = await readOfOther(request);
    const { version, reason } = request.body;
    const terms = termsIn(request.body);
    const action = { kind: "change_assignment", account, assignment, version, terms } as const;
    const proposal = await performOrPropose(deps, request, action, reason);
    if (proposal) return proposedResponse(deps, proposal, request);
    await directory.reload();
    return ok(assignmentObject(await read(assignment)));
  }

  async function end(request: OperatorRequest<EndAssignment>) {
    requireRecentStepUp(request, clock.now());
    const { version, reason } = request.body;
    const before = await readOfOther(request);
    if (before.version !== version) throw changedSince("assignment");
    const after = endAssignment(before, clock.now());
    await database.transaction(async (tx) => {
      if (!(await updateAssignment(tx, version, after))) throw changedSince("assignment");
      const values = { before: assignmentValues(before), after: assignmentValues(after) };
      const done = { account: null, action: "assignment.ended", object: after.id } as const;
      const entry = operatorAuditEntry(request, { ...done, ...values, reason });
      await recordAuditEntry(tx, entry, clock);
    });
    await directory.reload();
    return ok(assignmentObject({ ...after, version: version + 1 }));
  }

  async function read(id: AssignmentId): Promise<Assignment> {
    const assignment = await readAssignment(database.read, id);
    if (!assignment) throw noSuch("assignment", id);
    return assignment;
  }

  /** Returns the assignment in the path. Throws if the operator belongs to the assignment's account. */
  async function readOfOther(request: OperatorRequest): Promise<Assignment> {
    const assignment = await read(assignmentIn(request));
    await assertNotOwnAccount(database.read, assignment.account, request.caller.person);
    return assignment;
  }
}

function assignmentIn({ params }: OperatorRequest): AssignmentId {
  const text = params.assignment as string;
  const id = parseId("asg", text);
  if (!id) throw noSuch("assignment", text);
  return id;
}

/** Parses an ID in a body or a query. Throws the 400 that names the parameter. */
function idNamed<Prefix extends string, Text extends string | undefined>(
  prefix: Prefix,
  param: "account" | "connection",
  text: Text,
): Id<Prefix> | (undefined extends Text ? null : never) {
  if (text === undefined) return null as never;
  const id = parseId(prefix, text);
  if (!id) throw noSuchParameter(param, text, param);
  return id;
}

const defaultTerms: Omit<AssignmentTerms, "merchantAccount" | "mcc"> = {
  descriptor: null,
  acquirerBin: null,
  currencies: null,
  networks: null,
  countries: null,
  priority: 100,
};

/** Returns the terms that the request contains. Null removes a limit, and an absent field changes nothing. */
function termsIn(body: Partial<CreateAssignment>): Partial<AssignmentTerms> {
  for (const currency of body.currencies ?? []) {
    if (isCurrency(currency)) continue;
    throw new ApiError(
      "currency_unsupported",
      `\`currencies\` contains the unsupported currency '${currency}'. Send ISO 4217 codes in lower case, such as 'usd'.`,
      { param: "currencies" },
    );
  }
  return {
    ...(body.mcc !== undefined && { mcc: body.mcc }),
    ...(body.descriptor !== undefined && { descriptor: body.descriptor }),
    ...(body.acquirer_bin !== undefined && { acquirerBin: body.acquirer_bin }),
    ...(body.currencies !== undefined && { currencies: body.currencies }),
    ...(body.networks !== undefined && { networks: body.networks }),
    ...(body.countries !== undefined && { countries: body.countries }),
    ...(body.priority !== undefined && { priority: body.priority }),
  };
}

function assignmentObject(assignment: Assignment): AssignmentObject {
  return {
    id: assignment.id,
    object: "assignment",
    account: assignment.account,
    connection: assignment.connection,
    ...assignmentTermsOf(assignment),
    state: assignment.state,
    ended_at: assignment.state === "ended" ? unixSeconds(assignment.endedAt) : null,
    created: unixSeconds(createdAt(assignment.id)),
    version: assignment.version,
  };
}
