import { OperatorProposal, OperatorProposals } from "@florin/contract/operator.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt, parseId } from "../../core/ids.ts";
import type { SignedIn } from "../../identity/people/session.ts";
import type { AuditValues } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Tx } from "../../platform/database/sql.ts";
import {
  type BrowserResponse,
  type BrowserRoute,
  browserRoute,
} from "../../platform/http/browser-routes.ts";
import { ok } from "../../platform/http/route.ts";
import { assertNotOwnAccount } from "./assert-not-own-account.ts";
import type { OperatorDeps } from "./operator-deps.ts";
import {
  type OperatorRequest,
  operatorAuditEntry,
  requireRecentStepUp,
} from "./operator-request.ts";
import { endIfObsolete } from "./proposal.jobs.ts";
import {
  confirmProposal,
  dismissProposal,
  listProposals,
  lockProposedSecrets,
  type Proposal,
  type ProposalId,
  readProposal,
} from "./proposal.sql.ts";
import { performSensitiveAction } from "./sensitive-action.ts";
import { readEmailAddresses } from "./team.sql.ts";

const maxListed = 150;

/** Serves the proposals that wait for a second operator. */
export function proposalRoutes(deps: OperatorDeps): BrowserRoute<SignedIn>[] {
  const { database, clock } = deps;
  const route = browserRoute<SignedIn>();

  return [
    route({
      method: "GET",
      path: "/proposals",
      response: OperatorProposals,
      async handle({ caller }) {
        const proposals = await listProposals(database.read, maxListed);
        const data = await describeProposals(deps, proposals, caller);
        return ok({ four_eyes: deps.fourEyes, data });
      },
    }),
    route({
      method: "POST",
      path: "/proposals/:proposal/confirm",
      response: OperatorProposal,
      handle: (request) => confirm(request),
    }),
    route({
      method: "POST",
      path: "/proposals/:proposal/dismiss",
      response: OperatorProposal,
      handle: (request) => dismiss(request),
    }),
  ];

  /**
   * Confirms a proposal and applies its change in one transaction. If the change is no longer possible, ends the
   * proposal.
   */
  async function confirm(request: OperatorRequest) {
    const now = clock.now();
    requireRecentStepUp(request, now);
    const id = proposalIn(request);
    const { person } = request.caller;
    const confirming = database.transaction(async (tx) => {
      const secrets = await lockProposedSecrets(tx, id);
      const proposal = await confirmProposal(tx, id, person, now);
      if (!proposal) throw await whyNot(tx, id, request.caller);
      const { action, account, reason, proposedBy } = proposal;
      if (account) await assertNotOwnAccount(tx, account, person);
      if ("person" in action && action.person === person) throw ownFactor();
      await performSensitiveAction(deps, tx, request, action, {
        reason,
        secrets,
        proposal: { id, proposedBy },
      });
      await record(tx, request, "proposal.confirmed", proposal);
      return proposal;
    });
    const confirmed = await confirming.catch(async (error: unknown) => {
      const proposal = error instanceof ApiError && (await readProposal(database.read, id));
      if (proposal) await endIfObsolete(deps, proposal);
      throw error;
    });
    deps.wakeDeliveries();
    return describe(confirmed, request);
  }

  async function dismiss(request: OperatorRequest) {
    const id = proposalIn(request);
    const dismissed = await database.transaction(async (tx) => {
      const proposal = await dismissProposal(tx, id, request.caller.person, clock.now());
      if (!proposal) throw await whyNot(tx, id, request.caller);
      const isOwn = proposal.status === "withdrawn";
      // An operator must not decide on terms for their own business, and may not even reject them.
      if (proposal.account && !isOwn) {
        await assertNotOwnAccount(tx, proposal.account, request.caller.person);
      }
      await record(tx, request, isOwn ? "proposal.withdrawn" : "proposal.rejected", proposal);
      return proposal;
    });
    return describe(dismissed, request);
  }

  async function describe(proposal: Proposal, { caller }: OperatorRequest) {
    const [described] = await describeProposals(deps, [proposal], caller);
    return ok(described as OperatorProposal);
  }

  async function record(
    tx: Tx,
    request: OperatorRequest,
    action: "proposal.confirmed" | "proposal.rejected" | "proposal.withdrawn",
    { id, action: proposed, proposedBy }: Proposal,
  ) {
    const after: AuditValues = { kind: proposed.kind, proposed_by: proposedBy };
    const done = { account: null, action, object: id, after };
    await recordAuditEntry(tx, operatorAuditEntry(request, done), clock);
  }

  async function whyNot(tx: Tx, id: ProposalId, { person }: SignedIn): Promise<ApiError> {
    const proposal = await readProposal(tx, id);
    if (!proposal) return noSuch("proposal", id);
    const { status, expiresAt, proposedBy } = proposal;
    if (status !== "pending") return notPending(`is ${status}`);
    if (expiresAt <= clock.now()) return notPending("has expired");
    if (proposedBy === person) return ownProposal();
    return notPending("was made by a person who is no longer an operator");
  }
}

/** Returns the response to a request whose change was proposed instead of performed. */
export async function proposedResponse(
  deps: OperatorDeps,
  proposal: Proposal,
  { caller }: OperatorRequest,
): Promise<BrowserResponse> {
  const [described] = await describeProposals(deps, [proposal], caller);
  return { ...ok(described as OperatorProposal), status: 202 };
}

async function describeProposals(
  { database, clock }: OperatorDeps,
  proposals: readonly Proposal[],
  { person }: SignedIn,
): Promise<OperatorProposal[]> {
  const people = proposals.flatMap(({ proposedBy, decidedBy }) =>
    decidedBy ? [proposedBy, decidedBy] : [proposedBy],
  );
  const names = await readEmailAddresses(database.read, [...new Set(people)]);
  const now = clock.now();
  return proposals.map((proposal) => {
    const { action, status, expiresAt, proposedBy, decidedBy, decidedAt } = proposal;
    const { kind, ...details } = action;
    const isOver = status === "pending" && expiresAt <= now;
    return {
      id: proposal.id,
      object: "proposal",
      kind,
      account: proposal.account,
      details,
      reason: proposal.reason,
      status: isOver ? "expired" : status,
      created: unixSeconds(createdAt(proposal.id)),
      expires_at: unixSeconds(expiresAt),
      proposed_by: names.get(proposedBy) ?? proposedBy,
      is_own: proposedBy === person,
      decided_by: decidedBy && (names.get(decidedBy) ?? decidedBy),
      decided_at: decidedAt && unixSeconds(decidedAt),
    };
  });
}

function proposalIn({ params }: OperatorRequest): ProposalId {
  const text = params.proposal as string;
  const id = parseId("prop", text);
  if (!id) throw noSuch("proposal", text);
  return id;
}

function notPending(why: string): ApiError {
  return new ApiError(
    "status_transition_invalid",
    `The proposal ${why}. You can confirm, reject or withdraw only pending proposals. If the change is still needed, propose it again.`,
  );
}

function ownProposal(): ApiError {
  return new ApiError(
    "second_operator_required",
    "You made this proposal. Ask another operator to confirm it.",
  );
}

function ownFactor(): ApiError {
  return new ApiError(
    "second_operator_required",
    "The proposal concerns your own two-step verification. Ask another operator to confirm it.",
  );
}
