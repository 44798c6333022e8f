import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { MetadataChange } from "@florin/contract/metadata.ts";
import { noSuch } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import type { ChargeId } from "../../core/ids.ts";
import { mergeMetadata } from "../../core/metadata.ts";
import { recordPersonAction } from "../../platform/audit/record-person-action.ts";
import type { Tx } from "../../platform/database/sql.ts";
import type { ApiRequest } from "../../platform/http/route.ts";
import { commitTransition } from "../commit/commit-transitions.sql.ts";
import { withArchiveNote } from "./archived-charge.ts";
import { lockCharge } from "./charge.sql.ts";
import type { Charge } from "./charge.ts";
import { detailsOf } from "./charge-row.ts";
import { indexChangedCharge } from "./index-charges.ts";

/** Updates a charge's description and metadata. */
export async function updateCharge(
  tx: Tx,
  request: ApiRequest,
  id: ChargeId,
  change: { description?: string | null; metadata?: MetadataChange },
  clock: Clock,
): Promise<Charge> {
  const { scope } = request;
  // The lock makes a concurrent transition commit first, and a later transition read the updated fields.
  const charge = await lockCharge(tx, scope, id);
  if (!charge) throw await withArchiveNote(tx, scope, id, noSuch("charge", id));
  const words = {
    description: change.description === undefined ? charge.description : change.description,
    metadata: mergeMetadata(charge.metadata, change.metadata),
  };
  // An update without a difference is not written, so the version stays the same.
  const { description, metadata } = charge;
  if (isDeepStrictEqual(words, { description, metadata })) return charge;
  const changed: Charge = { ...charge, ...words, version: charge.version + 1 };
  const recorded = await commitTransition(tx, { scope, change: detailsOf(changed) });
  assert(recorded, `${id} changed under its lock`);
  if (change.metadata) await indexChangedCharge(tx, changed);
  // The audit entry omits the values, which can be personal data, because audit entries are never deleted.
  await recordPersonAction(tx, request, { action: "charge.updated", object: id }, clock);
  return changed;
}
