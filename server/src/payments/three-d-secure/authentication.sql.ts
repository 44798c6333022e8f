import type { CardBrand } from "@florin/contract/payment-method.ts";
import type { TransStatus } from "../../acquiring/three-d-secure/eci.ts";
import type { Clock } from "../../core/clock.ts";
import { type AttemptId, idFromUuid, parseId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Database } from "../../platform/database/database.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { type Claim, claimDue, type Queue } from "../../platform/jobs/claim-due.sql.ts";
import type { Authentication, AuthenticationState, Challenge } from "./authentication.ts";
import type { Result } from "./outcome.ts";

type Row = {
  account_id: string;
  livemode: boolean;
  charge_id: string;
  is_verification: boolean;
  state: AuthenticationState;
  revision: number;
  version: string;
  brand: CardBrand;
  method_url: string | null;
  method_completed: boolean;
  cardholder_info: string | null;
  acs_url: string | null;
  acs_transaction_id: string | null;
  ds_transaction_id: string | null;
  response_seen: boolean;
  result: Result | null;
  flow: "frictionless" | "challenge" | null;
  trans_status: TransStatus | null;
  trans_status_reason: string | null;
  eci: string | null;
  authentication_value: string | null;
  due_at: Date | null;
};

const columns = fragment`
  account_id, livemode, charge_id, is_verification, state, revision, version, brand, method_url, method_completed, cardholder_info,
  acs_url, acs_transaction_id, ds_transaction_id, response_seen, result, flow, trans_status, trans_status_reason, eci,
  authentication_value, due_at
`;

export async function readAuthentication(
  read: Sql,
  scope: Scope,
  attemptId: AttemptId,
): Promise<Authentication | null> {
  const [row] = await read<Row>`
    select ${columns}
      from authentications
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode}
       and charge_id = ${uuidOf(attemptId)}
  `;
  return row ? toAuthentication(row) : null;
}

/** Inserts the authentication, unless it already exists, for example because another tab inserted it. */
export async function insertAuthentication(
  tx: Tx,
  begun: Authentication,
  dueAt: Date | null,
): Promise<void> {
  const row = toRow(begun, dueAt);
  await tx`
    insert into authentications (${columns})
    values (${row.account_id}, ${row.livemode}, ${row.charge_id}, ${row.is_verification}, ${row.state},
            ${row.revision}, ${row.version}, ${row.brand}, ${row.method_url}, ${row.method_completed}, ${row.cardholder_info}, ${row.acs_url},
            ${row.acs_transaction_id}, ${row.ds_transaction_id}, ${row.response_seen}, ${row.result}, ${row.flow},
            ${row.trans_status}, ${row.trans_status_reason}, ${row.eci}, ${row.authentication_value}, ${row.due_at})
    on conflict (account_id, livemode, charge_id) do nothing
  `;
}

/** Updates the authentication if it is unchanged since it was read. Returns whether it was updated. */
export async function updateAuthentication(
  tx: Tx,
  next: Authentication,
  dueAt: Date | null,
): Promise<boolean> {
  const row = toRow(next, dueAt);
  const rows = await tx`
    update authentications
       set state = ${row.state}, revision = ${row.revision}, method_url = ${row.method_url},
           method_completed = ${row.method_completed}, cardholder_info = ${row.cardholder_info},
           acs_url = ${row.acs_url}, acs_transaction_id = ${row.acs_transaction_id},
           ds_transaction_id = ${row.ds_transaction_id}, response_seen = ${row.response_seen},
           result = ${row.result}, flow = ${row.flow}, trans_status = ${row.trans_status},
           trans_status_reason = ${row.trans_status_reason}, eci = ${row.eci},
           authentication_value = ${row.authentication_value}, due_at = ${row.due_at}
     where account_id = ${row.account_id} and livemode = ${row.livemode} and charge_id = ${row.charge_id}
       and revision = ${row.revision - 1}
    returning charge_id
  `;
  return rows.length === 1;
}

const dueAuthentications: Queue = {
  table: fragment`authentications`,
  key: fragment`account_id, livemode, charge_id`,
  dueAt: fragment`due_at`,
  waits: fragment`due_at is not null`,
};

/** Claims authentications whose deadline has passed. */
export async function claimDueAuthentications(
  deps: { readonly database: Database; readonly clock: Clock },
  claim: Omit<Claim, "columns">,
): Promise<Authentication[]> {
  const rows = await claimDue<Row>(deps, dueAuthentications, { ...claim, columns });
  return rows.map(toAuthentication);
}

function toRow(current: Authentication, dueAt: Date | null): Row {
  const challenge = "challenge" in current ? current.challenge : null;
  const outcome = current.state === "ended" ? current.outcome : null;
  return {
    account_id: uuidOf(current.scope.account),
    livemode: current.scope.livemode,
    charge_id: uuidOf(current.attemptId),
    is_verification: parseId("cv", current.attemptId) !== null,
    state: current.state,
    revision: current.revision,
    version: current.version,
    brand: current.brand,
    method_url: current.state === "looked_up" ? current.methodUrl : null,
    method_completed: current.state === "looked_up" && current.methodCompleted,
    cardholder_info: current.cardholderInfo,
    acs_url: challenge?.acsUrl ?? null,
    acs_transaction_id: challenge?.acsTransactionId ?? null,
    ds_transaction_id: challenge?.dsTransactionId ?? outcome?.dsTransactionId ?? null,
    response_seen: current.state === "challenging" && current.responseSeen,
    result: outcome?.result ?? null,
    flow: outcome?.flow ?? null,
    trans_status: outcome?.transStatus ?? null,
    trans_status_reason: outcome?.transStatusReason ?? null,
    eci: outcome?.eci ?? null,
    authentication_value: outcome?.authenticationValue ?? null,
    due_at: dueAt,
  };
}

/**
 * Converts a row to an authentication. The casts are safe because the table's CHECK constraints require the columns of
 * each state.
 */
function toAuthentication(row: Row): Authentication {
  const base = {
    scope: { account: idFromUuid("acct", row.account_id), livemode: row.livemode },
    attemptId: idFromUuid(row.is_verification ? "cv" : "ch", row.charge_id),
    revision: row.revision,
    version: row.version,
    brand: row.brand,
    cardholderInfo: row.cardholder_info,
  };
  const challenge = {
    acsUrl: row.acs_url,
    acsTransactionId: row.acs_transaction_id,
    dsTransactionId: row.ds_transaction_id,
  } as Challenge;
  switch (row.state) {
    case "looked_up": {
      const { method_url: methodUrl, method_completed: methodCompleted } = row;
      return { ...base, state: "looked_up", methodUrl, methodCompleted };
    }
    case "requested":
      return { ...base, state: "requested" };
    case "challenged":
      return { ...base, state: "challenged", challenge };
    case "challenging":
      return { ...base, state: "challenging", challenge, responseSeen: row.response_seen };
    case "ended":
      return {
        ...base,
        state: "ended",
        handedOver: row.due_at === null,
        outcome: {
          result: row.result as Result,
          flow: row.flow,
          transStatus: row.trans_status,
          transStatusReason: row.trans_status_reason,
          eci: row.eci,
          authenticationValue: row.authentication_value,
          dsTransactionId: row.ds_transaction_id,
        },
      };
  }
}
