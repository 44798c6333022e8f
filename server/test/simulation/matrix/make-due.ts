import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type ChargeId, uuidOf } from "../../../src/core/ids.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { slowed } from "../../slowness.ts";

/** Postpones the inquiries of a charge, so that the inquiries of all cases run in one round. */
export async function postpone(database: Database, charge: ChargeId): Promise<void> {
  await database.transaction(
    (tx) => tx`update charges set due_at = now() + interval '1 hour' where id = ${uuidOf(charge)}`,
  );
}

/** Makes scheduled inquiries due now. */
export async function makeDue(database: Database, which: "charges" | "all"): Promise<void> {
  await database.transaction(async (tx) => {
    await tx`
      update charges set due_at = now()
       where status = 'processing' and due_at > now() and pending_reason is not null
    `;
    if (which === "all") {
      await tx`update operations set due_at = now() where due_at > now() and pending_reason is not null`;
    }
  });
}

export async function waitForOutcomes(database: Database): Promise<void> {
  const deadline = performance.now() + slowed(40_000);
  for (;;) {
    const [row] = await database.read<{ open: number }>`
      select (select count(*) from charges where status in ('processing', 'requires_action'))
           + (select count(*) from operations where status = 'processing') as open
    `;
    if (row?.open === 0) return;
    assert.ok(performance.now() < deadline, `${row?.open} outcomes are not known yet`);
    await sleep(700);
    await makeDue(database, "all");
  }
}
