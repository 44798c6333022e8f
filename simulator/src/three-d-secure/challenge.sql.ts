import type { CardBrand } from "@florin/contract/payment-method.ts";
import type { ChallengeBehavior } from "@florin/contract/test-card-three-d-secure.ts";
import type { RReq } from "@florin/server/acquiring/three-d-secure/message.ts";
import { fragment, type Sql, type Tx } from "@florin/server/platform/database/sql.ts";
import type { Challenge, Verdict } from "./challenge.ts";

type Row = {
  acs_transaction_id: string;
  ds_transaction_id: string;
  three_ds_server_transaction_id: string;
  behavior: ChallengeBehavior;
  brand: CardBrand;
  last4: string;
  merchant_name: string;
  amount: string;
  currency: string;
  exponent: number;
  notification_url: string;
  directory_url: string;
  session_data: string | null;
  state: Challenge["state"];
  wrong_codes: number;
  trans_status: "Y" | "N" | null;
  challenge_cancel: Verdict["challengeCancel"];
  due_at: Date | null;
};

const columns = fragment`
  acs_transaction_id, ds_transaction_id, three_ds_server_transaction_id, behavior, brand, last4, merchant_name,
  amount, currency, exponent, notification_url, directory_url, session_data, state, wrong_codes, trans_status,
  challenge_cancel, due_at
`;

export async function insertChallenge(tx: Tx, challenge: Challenge): Promise<void> {
  await tx`
    insert into simulator.challenges (
      acs_transaction_id, ds_transaction_id, three_ds_server_transaction_id, behavior, brand, last4, merchant_name,
      amount, currency, exponent, notification_url, directory_url, state, due_at
    ) values (
      ${challenge.acsTransactionId}, ${challenge.dsTransactionId}, ${challenge.threeDSServerTransactionId},
      ${challenge.behavior}, ${challenge.brand}, ${challenge.last4}, ${challenge.merchantName}, ${challenge.amount},
      ${challenge.currency}, ${challenge.exponent}, ${challenge.notificationUrl}, ${challenge.directoryUrl},
      'created', ${challenge.dueAt}
    )
  `;
}

export async function readChallenge(sql: Sql, acsTransactionId: string): Promise<Challenge | null> {
  const [row] = await sql<Row>`
    select ${columns} from simulator.challenges where acs_transaction_id = ${acsTransactionId}
  `;
  return row ? toChallenge(row) : null;
}

/** Records a CReq. Accepts repeated CReqs, as after a reload, until the challenge is decided. */
export async function recordCReq(
  tx: Tx,
  acsTransactionId: string,
  sessionData: string | null,
  dueAt: Date,
): Promise<void> {
  await tx`
    update simulator.challenges
       set state = 'displayed', session_data = ${sessionData}, due_at = ${dueAt}
     where acs_transaction_id = ${acsTransactionId} and state in ('created', 'displayed')
  `;
}

export async function countWrongCode(tx: Tx, challenge: Challenge, dueAt: Date): Promise<void> {
  await tx`
    update simulator.challenges
       set wrong_codes = wrong_codes + 1, due_at = ${dueAt}
     where acs_transaction_id = ${challenge.acsTransactionId} and state = 'displayed'
       and wrong_codes = ${challenge.wrongCodes}
  `;
}

/** Records the verdict unless the challenge already has one. If `notifyAt` is null, the result is never sent. */
export async function decideChallenge(
  tx: Tx,
  acsTransactionId: string,
  verdict: Verdict,
  notifyAt: Date | null,
): Promise<void> {
  await tx`
    update simulator.challenges
       set state = 'completed', trans_status = ${verdict.transStatus},
           challenge_cancel = ${verdict.challengeCancel}, due_at = ${notifyAt}
     where acs_transaction_id = ${acsTransactionId} and state in ('created', 'displayed')
  `;
}

export async function markResultSent(tx: Tx, acsTransactionId: string): Promise<void> {
  await tx`
    update simulator.challenges
       set due_at = null
     where acs_transaction_id = ${acsTransactionId} and state = 'completed'
  `;
}

/** The number of attempts after which the RReq is not sent again. */
const maxResultAttempts = 20;

/** Claims expired challenges and unsent results, leased until `until`. */
export async function claimDueChallenges(
  tx: Tx,
  lease: { readonly now: Date; readonly until: Date },
): Promise<Challenge[]> {
  const rows = await tx<Row>`
    update simulator.challenges
       set due_at = case when result_attempts < ${maxResultAttempts} then ${lease.until}::timestamptz end,
           result_attempts = result_attempts + 1
     where due_at <= ${lease.now}
    returning ${columns}
  `;
  return rows.map(toChallenge);
}

export async function insertDirectoryTransaction(
  tx: Tx,
  ids: { dsTransactionId: string; threeDSServerTransactionId: string },
  threeDSServerUrl: string,
): Promise<void> {
  await tx`
    insert into simulator.directory_transactions
           (ds_transaction_id, three_ds_server_transaction_id, three_ds_server_url)
    values (${ids.dsTransactionId}, ${ids.threeDSServerTransactionId}, ${threeDSServerUrl})
  `;
}

/** Returns the URL for the result of a challenge. Returns null unless all three IDs belong to the same challenge. */
export async function readThreeDSServerUrl(
  sql: Sql,
  rreq: Pick<RReq, "dsTransID" | "threeDSServerTransID" | "acsTransID">,
): Promise<string | null> {
  const [row] = await sql<{ url: string }>`
    select t.three_ds_server_url as url
      from simulator.directory_transactions t
      join simulator.challenges c on c.ds_transaction_id = t.ds_transaction_id
     where t.ds_transaction_id = ${rreq.dsTransID}
       and t.three_ds_server_transaction_id = ${rreq.threeDSServerTransID}
       and c.three_ds_server_transaction_id = t.three_ds_server_transaction_id
       and c.acs_transaction_id = ${rreq.acsTransID}
  `;
  return row?.url ?? null;
}

/** Deletes up to `limit` rows of each table that are older than a day. Returns whether there may be more. */
export async function deleteOldTransactions(tx: Tx, limit: number): Promise<boolean> {
  const challenges = await tx`
    delete from simulator.challenges
     where acs_transaction_id in (
       select acs_transaction_id from simulator.challenges where created_at < now() - interval '1 day' limit ${limit}
     )
    returning acs_transaction_id
  `;
  const transactions = await tx`
    delete from simulator.directory_transactions
     where ds_transaction_id in (
       select ds_transaction_id
         from simulator.directory_transactions
        where created_at < now() - interval '1 day'
        limit ${limit}
     )
    returning ds_transaction_id
  `;
  return challenges.length === limit || transactions.length === limit;
}

function toChallenge(row: Row): Challenge {
  return {
    acsTransactionId: row.acs_transaction_id,
    dsTransactionId: row.ds_transaction_id,
    threeDSServerTransactionId: row.three_ds_server_transaction_id,
    behavior: row.behavior,
    brand: row.brand,
    last4: row.last4,
    merchantName: row.merchant_name,
    amount: row.amount,
    currency: row.currency,
    exponent: row.exponent,
    notificationUrl: row.notification_url,
    directoryUrl: row.directory_url,
    sessionData: row.session_data,
    state: row.state,
    wrongCodes: row.wrong_codes,
    verdict: row.trans_status && {
      transStatus: row.trans_status,
      challengeCancel: row.challenge_cancel,
    },
    dueAt: row.due_at,
  };
}
