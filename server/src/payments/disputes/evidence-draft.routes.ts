import { EvidenceDraft, FileContent, SaveEvidenceDraft } from "@florin/contract/dispute.ts";
import type { EvidenceTexts } from "@florin/contract/evidence-fields.ts";
import { readCustomer } from "../../cards/customers/customer.sql.ts";
import { isNumbered } from "../../cards/payment-methods/masked-card.ts";
import { ApiError } from "../../core/api-error.ts";
import { unixSeconds } from "../../core/clock.ts";
import { uuidOf } from "../../core/ids.ts";
import { recordPersonAction } from "../../platform/audit/record-person-action.ts";
import { lowest } from "../../platform/http/list.ts";
import { ok, okFile, type Route, route } from "../../platform/http/route.ts";
import { readCharge } from "../charges/charge.sql.ts";
import type { Charge, SucceededCharge } from "../charges/charge.ts";
import { findCharges } from "../charges/find-charges.ts";
import { readSession } from "../sessions/checkout-session.sql.ts";
import type { Dispute } from "./dispute.ts";
import { assertResponseAllowed } from "./dispute-assertions.ts";
import { listDisputeFiles } from "./dispute-file.sql.ts";
import { readDraft, type EvidenceDraft as StoredDraft, writeDraft } from "./evidence-draft.sql.ts";
import { findDispute } from "./find-dispute.ts";
import { type DisputeDeps, lockDispute } from "./record-dispute.ts";
import { renderEvidenceOf } from "./render-evidence-of.ts";
import { suggestEvidence } from "./suggest-evidence.ts";

/**
 * Returns the routes of evidence that is not submitted yet. They require the permission to respond, because the
 * suggested texts contain data of the payment and the customer.
 */
export function evidenceDraftRoutes(deps: DisputeDeps): Route[] {
  const { database, clock } = deps;

  return [
    route({
      method: "GET",
      path: "/disputes/:id/evidence_draft",
      summary: "Retrieve the evidence draft",
      permission: "disputes:write",
      response: EvidenceDraft,
      status: 200,
      async handle({ scope, params }) {
        const dispute = await findDispute(deps, scope, params.id as string);
        return ok(await draftObject(dispute, await readDraft(database.read, dispute)));
      },
    }),
    route({
      method: "POST",
      path: "/disputes/:id/evidence_draft",
      summary: "Save the evidence draft",
      permission: "disputes:write",
      body: SaveEvidenceDraft,
      response: EvidenceDraft,
      status: 200,
      async handle(request) {
        const { scope, params, idempotency, body } = request;
        const known = await findDispute(deps, scope, params.id as string);
        const { evidence } = body;
        return deps.idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
          const dispute = await lockDispute(tx, known);
          const updatedAt = clock.now();
          assertResponseAllowed(dispute, updatedAt);
          const draft = { version: body.version + 1, evidence, updatedAt };
          if (!(await writeDraft(tx, dispute, draft))) throw draftChanged(dispute);
          const entry = { action: "dispute.draft_saved", object: dispute.id } as const;
          await recordPersonAction(tx, request, entry, clock);
          return ok(await draftObject(dispute, draft));
        });
      },
    }),
    route({
      method: "GET",
      path: "/disputes/:id/evidence_document",
      summary: "Download the evidence document",
      permission: "disputes:write",
      response: FileContent,
      produces: ["application/pdf"],
      status: 200,
      async handle({ scope, params }) {
        const dispute = await findDispute(deps, scope, params.id as string);
        const { evidence, files } = await evidenceToShow(dispute);
        const document = await renderEvidenceOf(deps, dispute, evidence, files);
        if (!document) throw notConnected(dispute);
        if (document.kind === "too_long") {
          throw new ApiError("parameter_invalid", document.problem, { param: "files" });
        }
        const name = `evidence-${dispute.id}.pdf`;
        return okFile({ bytes: document.pdf, mediaType: "application/pdf", name });
      },
    }),
  ];

  async function draftObject(dispute: Dispute, draft: StoredDraft | null): Promise<EvidenceDraft> {
    return {
      object: "evidence_draft",
      livemode: dispute.scope.livemode,
      dispute_id: dispute.id,
      version: draft?.version ?? 0,
      updated: draft && unixSeconds(draft.updatedAt),
      evidence: draft?.evidence ?? textsOf(dispute),
      suggested: await readSuggestion(dispute),
    };
  }

  /** Returns the draft with all files of the dispute, or the evidence that was submitted. */
  async function evidenceToShow(
    dispute: Dispute,
  ): Promise<{ readonly evidence: EvidenceTexts; readonly files: readonly string[] }> {
    if (dispute.status !== "needs_response") {
      return { evidence: textsOf(dispute), files: dispute.evidence?.files ?? [] };
    }
    const draft = await readDraft(database.read, dispute);
    const files = await listDisputeFiles(database.read, dispute);
    return { evidence: draft?.evidence ?? textsOf(dispute), files: files.map(({ id }) => id) };
  }

  async function readSuggestion(dispute: Dispute): Promise<EvidenceTexts> {
    const { scope, chargeId } = dispute;
    const charge = await readCharge(database.read, scope, chargeId);
    if (charge?.status !== "succeeded") return {};
    const { checkoutSessionId, customerId } = charge;
    const [session, customer, earlier] = await Promise.all([
      checkoutSessionId && readSession(database.read, scope, checkoutSessionId),
      customerId && readCustomer(database.read, scope, customerId),
      findEarlierPayments(charge),
    ]);
    return suggestEvidence({ charge, session, customer, earlier });
  }

  /** Returns undisputed payments with the same card that were made before the charge, newest first. */
  async function findEarlierPayments({ id, scope, card }: SucceededCharge): Promise<Charge[]> {
    // Without a fingerprint, two cards with the same last digits cannot be distinguished.
    if (!isNumbered(card)) return [];
    const filter = {
      statuses: ["succeeded"],
      last4: card.last4,
      brands: [card.brand],
      disputed: false,
    } as const;
    const page = { limit: maxCandidates, below: uuidOf(id), from: lowest, upwards: false };
    const found = await findCharges(database.read, scope, filter, page);
    return found.filter((one) => one.card.fingerprint === card.fingerprint);
  }
}

/** The search for payments with the same card reads at most this many payments with its last four digits. */
const maxCandidates = 50;

function textsOf({ evidence }: Dispute): EvidenceTexts {
  const { files, ...texts } = evidence ?? {};
  return texts;
}

function draftChanged({ id }: Dispute): ApiError {
  return new ApiError(
    "dispute_draft_changed",
    `The draft of the dispute '${id}' was saved after you read it. Read the draft again, and save it with its new \`version\`.`,
    { param: "version" },
  );
}

function notConnected({ chargeId }: Dispute): ApiError {
  return new ApiError(
    "dispute_response_unsupported",
    `The connection to the acquirer of '${chargeId}' is retired or not available, so the document for it cannot be rendered. Try again later. If the connection is retired, contact the operator, who can respond in the acquirer's console.`,
    { param: "id" },
  );
}
