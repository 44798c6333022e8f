import {
  ChargeLedger,
  ChargeTimeline,
  type EventDelivery,
  type LedgerTransfer,
  type TimelineEntry,
} from "@florin/contract/timeline.ts";
import { listMerchantConnections } from "../../acquiring/connections/merchant-connections.ts";
import { readRoutingRulesVersion } from "../../acquiring/routing/routing-rules.sql.ts";
import { noSuch } from "../../core/api-error.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt, idFromUuid, parseId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { withArchiveNote } from "../../payments/charges/archived-charge.ts";
import { readCharge } from "../../payments/charges/charge.sql.ts";
import { balanceTransactionIdOf, type Charge } from "../../payments/charges/charge.ts";
import { type FailedAttempt, listAttempts } from "../../payments/charges/charge-attempt.sql.ts";
import { readRoute } from "../../payments/charges/charge-route.sql.ts";
import { findCharges } from "../../payments/charges/find-charges.ts";
import { listDisputes } from "../../payments/disputes/dispute.sql.ts";
import { withdrawalOf } from "../../payments/disputes/dispute.ts";
import { listTransfers, type TransferRow } from "../../payments/ledger/ledger.sql.ts";
import type { TransferKind } from "../../payments/ledger/posting-rules.ts";
import { listOperations } from "../../payments/operations/operation.sql.ts";
import type { Database } from "../../platform/database/database.ts";
import { pageOf } from "../../platform/http/list.ts";
import { ok, type Route, route } from "../../platform/http/route.ts";
import { type DeliveryRow, listDeliveriesOf } from "../../webhooks/delivery/delivery.sql.ts";
import { deliveryFields } from "../../webhooks/delivery/delivery-object.ts";
import { readActorsOf } from "../request-log/request-log.sql.ts";
import { routeObject } from "./route-object.ts";
import { readEventsOfPayment } from "./timeline.sql.ts";
import { attemptObject, type EntryWithoutActor, timelineOf } from "./timeline.ts";

/** The maximum number of operations in a timeline. The same limit applies to disputes and to attempts. */
const most = { limit: 100 };

export function timelineRoutes({ database }: { database: Database }): Route[] {
  const { read } = database;

  return [
    route({
      method: "GET",
      path: "/charges/:id/timeline",
      summary: "Retrieve the timeline of a charge",
      permission: "payments:read",
      response: ChargeTimeline,
      status: 200,
      async handle({ scope, params, permissions }) {
        const charge = await find(scope, params.id as string);
        const related = await operationsAndDisputesOf(scope, charge);
        const { operations } = related;
        // Timeline entries and deliveries contain parts of disputes and events, whose own endpoints require these
        // permissions.
        const disputes = permissions.has("disputes:read") ? related.disputes : [];
        const attempts = await attemptsOf(scope, charge);
        const failed = await listAttempts(read, charge);
        const events = await readEventsOfPayment(read, charge, operations, disputes);
        const delivered = permissions.has("webhooks:read") ? events.map(({ id }) => id) : [];
        const deliveries = await listDeliveriesOf(read, scope, delivered);
        return ok({
          object: "charge_timeline",
          livemode: scope.livemode,
          charge_id: charge.id,
          entries: await withActors(scope, timelineOf(charge, failed, operations, events)),
          route: await routeOf(charge, failed),
          attempts: attempts.map(attemptObject),
          deliveries: deliveries.map(deliveryOf),
        });
      },
    }),
    route({
      method: "GET",
      path: "/charges/:id/ledger",
      summary: "Retrieve the ledger transfers of a charge",
      permission: "balance:read",
      response: ChargeLedger,
      status: 200,
      async handle({ scope, params }) {
        const charge = await find(scope, params.id as string);
        const { operations, disputes } = await operationsAndDisputesOf(scope, charge);
        // A ledger entry has the UUID of the charge or operation that moved the money. Reversing entries have separate
        // IDs.
        const entries = [
          balanceTransactionIdOf(charge.id),
          ...(charge.status === "failed" && charge.failureEntry ? [charge.failureEntry] : []),
          ...operations.flatMap((one) => [
            idFromUuid("txn", uuidOf(one.id)),
            ...(one.status === "failed" && one.failureEntry ? [one.failureEntry] : []),
          ]),
          ...disputes.flatMap((one) => [
            withdrawalOf(one.id),
            ...(one.reversal ? [one.reversal] : []),
          ]),
        ];
        const transfers = await listTransfers(read, scope, entries);
        return ok({
          object: "charge_ledger",
          livemode: scope.livemode,
          charge_id: charge.id,
          transfers: transfers.map(transferObject),
        });
      },
    }),
  ];

  async function routeOf(charge: Charge, failed: readonly FailedAttempt[]) {
    const route = await readRoute(read, charge);
    if (!route) return null;
    const { account } = charge.scope;
    const rules = await readRoutingRulesVersion(read, account, route.rules);
    const merchantConnections = await listMerchantConnections(read, account);
    return routeObject({ charge, route, rules, failed, merchantConnections });
  }

  async function withActors(
    scope: Scope,
    entries: readonly EntryWithoutActor[],
  ): Promise<TimelineEntry[]> {
    const requests = entries.flatMap(({ request_id }) => (request_id ? [request_id] : []));
    const actors = await readActorsOf(read, scope, requests);
    return entries.map((entry) => {
      const actor = entry.request_id ? (actors.get(entry.request_id) ?? null) : null;
      return { ...entry, actor };
    });
  }

  async function find(scope: Scope, text: string): Promise<Charge> {
    const id = parseId("ch", text);
    const charge = id && (await readCharge(read, scope, id));
    if (!charge) {
      const missing = noSuch("charge", text);
      throw id ? await withArchiveNote(read, scope, id, missing) : missing;
    }
    return charge;
  }

  async function operationsAndDisputesOf(scope: Scope, { id: chargeId }: Charge) {
    const operations = await listOperations(read, scope, { chargeId }, pageOf(most, "op"));
    const disputes = await listDisputes(read, scope, { chargeId }, pageOf(most, "dp"));
    return { operations, disputes };
  }

  async function attemptsOf(scope: Scope, { checkoutSessionId }: Charge): Promise<Charge[]> {
    if (!checkoutSessionId) return [];
    const found = await findCharges(read, scope, { checkoutSessionId }, pageOf(most, "ch"));
    return found.toReversed();
  }
}

function transferObject(row: TransferRow): LedgerTransfer {
  const { kind, debit, credit, amount, currency } = row;
  const id = idFromUuid("txn", row.entry_id);
  const source = idFromUuid(prefixOf(kind), row.source_id);
  const created = unixSeconds(createdAt(id));
  return { balance_transaction_id: id, created, kind, debit, credit, amount, currency, source };
}

function prefixOf(kind: TransferKind): string {
  if (kind.startsWith("refund")) return "re";
  return kind.startsWith("dispute") ? "dp" : "ch";
}

function deliveryOf(row: DeliveryRow): EventDelivery {
  return { delivery_id: idFromUuid("whd", row.id), ...deliveryFields(row) };
}
