import { ConfirmProposal, OperatorProposal, OperatorProposals } from "@florin/contract/operator.ts";
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
import { readObstacle } from "./proposal-obstacle.ts";
import { performSensitiveAction } from "./sensitive-action.ts";
import { readEmailAddresses } from "./team.sql.ts";
import { verifyProposedKey } from "./verify-proposed-key.ts";

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
      body: ConfirmProposal,
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
  async function confirm(request: OperatorRequest<ConfirmProposal>) {
    const now = clock.now();
    requireRecentStepUp(request, now);
    const id = proposalIn(request);
    const { person } = request.caller;
    const confirmIn = async (tx: Tx, verified: Buffer | null) => {
      const secrets = await lockProposedSecrets(tx, id);
      const keyMatched = verified !== null;
      const proposal = await confirmProposal(tx, id, { by: person, keyMatched, now });
      if (!proposal) throw await readObstacle(tx, id, person, now);
      if (verified && !(secrets && verified.equals(secrets))) throw reencrypted();
      const { action, account, reason, proposedBy } = proposal;
      if (account) await assertNotOwnAccount(tx, account, person);
      if ("person" in action && action.person === person) throw ownFactor();
      await performSensitiveAction(deps, tx, request, action, {
        reason,
        secrets,
        proposal: { id, proposedBy },
      });
      await record(
        tx,
        request,
        "proposal.confirmed",
        proposal,
        keyMatched && { key_matched: true },
      );
      return proposal;
    };
    // The key is verified with no transaction open, because the key provider may be a remote service.
    const confirming = verifyProposedKey(deps, request, id).then((verified) =>
      database.transaction((tx) => confirmIn(tx, verified)),
    );
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
      if (!proposal) throw await readObstacle(tx, id, request.caller.person, clock.now());
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
    also: AuditValues | false = false,
  ) {
    const after: AuditValues = { kind: proposed.kind, proposed_by: proposedBy, ...also };
    const done = { account: null, action, object: id, after };
    await recordAuditEntry(tx, operatorAuditEntry(request, done), clock);
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

/** Returns the error for secrets that a key rotation has encrypted again since the operator's HMAC key was verified. */
function reencrypted(): ApiError {
  return new ApiError(
    "resource_changed",
    "The proposed secrets were encrypted again in the meantime. Confirm the proposal again.",
  );
}

function ownFactor(): ApiError {
  return new ApiError(
    "second_operator_required",
    "The proposal concerns your own two-step verification. Ask another operator to confirm it.",
  );
}
