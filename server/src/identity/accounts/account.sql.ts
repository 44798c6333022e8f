import type { AccountStatus } from "@florin/contract/account.ts";
import type { ApplicationStatus } from "@florin/contract/application.ts";
import type { OneOrMore } from "@florin/contract/list.ts";
import { type AccountId, idFromUuid, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { keysOf, uuids } from "../../platform/database/array-parameter.ts";
import { fragment, type Sql, type Tx } from "../../platform/database/sql.ts";
import { isOneOf, type Page, pageRows } from "../../platform/http/list.ts";
import { type Account, type AmountsByCurrency, type ModeSettings, newAccount } from "./account.ts";
import { type AccountProfile, emptyProfile } from "./account-profile.ts";

export async function insertAccount(
  tx: Tx,
  account: Omit<Account, "applicationStatus" | "version">,
): Promise<void> {
  const { limits, profile, settings } = account;
  await tx`
    insert into accounts (id, name, country, status, fee_basis_points, amounts, approved_at,
                          requests_per_second, support_email, support_phone, statement_descriptor, time_zone,
                          brand_color, background_color, logo, closed_at)
    values (${uuidOf(account.id)}, ${account.name}, ${account.country}, ${account.status},
            ${account.feeBasisPoints}, ${JSON.stringify(account.amounts)}, ${account.approvedAt},
            ${limits.requestsPerSecond}, ${profile.supportEmail}, ${profile.supportPhone},
            ${profile.statementDescriptor}, ${profile.timeZone}, ${profile.brandColor}, ${profile.backgroundColor},
            ${profile.logo},
            case when ${account.status} = 'closed' then created_at(${uuidOf(account.id)}) end)
  `;
  const { test, live } = settings;
  await tx`
    insert into account_settings (account_id, livemode, payout_schedule, allowed_origins, receipts_since, changes)
    values (${uuidOf(account.id)}, false, ${test.payoutSchedule}, ${test.allowedOrigins},
            case when ${test.emailReceipts} then created_at(${uuidOf(account.id)}) end, ${test.changes}),
           (${uuidOf(account.id)}, true, ${live.payoutSchedule}, ${live.allowedOrigins},
            case when ${live.emailReceipts} then created_at(${uuidOf(account.id)}) end, ${live.changes})
  `;
}

type AccountRow = {
  id: string;
  name: string;
  country: string;
  status: AccountStatus;
  application_status: ApplicationStatus;
  fee_basis_points: number;
  amounts: AmountsByCurrency;
  profile: AccountProfile;
  settings: Partial<Account["settings"]>;
  approved_at: Date | null;
  requests_per_second: number | null;
  version: number;
};

/**
 * The columns of an account. The version is the sum of the versions of the account and its application, because the
 * account shows the application's status.
 */
const columns = fragment`id, name, country, status,
  coalesce((select a.status from applications a where a.account_id = accounts.id), 'draft') as application_status,
  fee_basis_points, amounts,
  jsonb_build_object('supportEmail', support_email, 'supportPhone', support_phone,
    'statementDescriptor', statement_descriptor, 'timeZone', time_zone, 'brandColor', brand_color,
    'backgroundColor', background_color, 'logo', logo) as profile,
  (select coalesce(jsonb_object_agg(case when s.livemode then 'live' else 'test' end, jsonb_build_object(
             'payoutSchedule', s.payout_schedule, 'allowedOrigins', s.allowed_origins,
             'emailReceipts', s.receipts_since is not null, 'changes', s.changes)), '{}')
     from account_settings s
    where s.account_id = accounts.id) as settings,
  approved_at, requests_per_second,
  version + coalesce((select a.version from applications a where a.account_id = accounts.id), 0) as version`;

export async function readAccount(read: Sql, id: AccountId): Promise<Account | null> {
  const [account] = await readAccounts(read, [id]);
  return account ?? null;
}

/** Returns the accounts in the order of the ids. */
export async function readAccounts(
  read: Sql,
  ids: readonly AccountId[],
): Promise<(Account | null)[]> {
  const requested = keysOf({ account_id: uuids(ids, (id) => id) });
  const rows = await read<AccountRow>`
    select ${columns}
      from accounts
     where id in (select account_id from ${requested} as requested)
  `;
  const accounts = new Map(rows.map((row) => [row.id, toAccount(row)]));
  return ids.map((id) => accounts.get(uuidOf(id)) ?? null);
}

function toAccount(row: AccountRow): Account {
  return {
    id: idFromUuid("acct", row.id),
    name: row.name,
    country: row.country,
    profile: profileIn(row),
    status: row.status,
    applicationStatus: row.application_status,
    feeBasisPoints: row.fee_basis_points,
    amounts: row.amounts,
    settings: { test: settingsIn(row, "test"), live: settingsIn(row, "live") },
    approvedAt: row.approved_at,
    limits: { requestsPerSecond: row.requests_per_second },
    version: row.version,
  };
}

/** Returns the profile. Accounts that have set no field share one object, because accounts are cached. */
function profileIn({ profile }: AccountRow): AccountProfile {
  return Object.values(profile).some((value) => value !== null) ? profile : emptyProfile;
}

/** Returns the settings of a mode. Accounts with the initial settings share one object, because accounts are cached. */
function settingsIn({ settings }: AccountRow, mode: "test" | "live"): ModeSettings {
  const initial = newAccount.settings[mode];
  const stored = settings[mode] ?? initial;
  const { payoutSchedule, allowedOrigins, emailReceipts, changes } = stored;
  const isInitial =
    payoutSchedule === initial.payoutSchedule &&
    allowedOrigins.length === 0 &&
    emailReceipts === initial.emailReceipts &&
    changes === initial.changes;
  return isInitial ? initial : stored;
}

/** Returns whether underwriting has ever approved the account, even if it is suspended or closed now. */
export async function wasApproved(read: Sql, id: AccountId): Promise<boolean> {
  const rows = await read`select 1 from accounts where id = ${uuidOf(id)} and was_approved`;
  return rows.length > 0;
}

/**
 * Lists all accounts, newest first. `text` matches part of an account name or the whole email address of a team member,
 * ignoring case. Has no account filter, because only operators can call it.
 */
export async function listAccounts(
  read: Sql,
  filter: {
    readonly status: OneOrMore<AccountStatus> | undefined;
    readonly text: string | undefined;
  },
  page: Page,
): Promise<Account[]> {
  const { status, text } = filter;
  const rows = await read<AccountRow>`
    select ${columns}
      from accounts
     where true
       ${isOneOf(fragment`accounts.status`, status)}
       ${text ? matchesSearch(text) : fragment``}
       ${pageRows(page)}
  `;
  return rows.map(toAccount);
}

const matchesSearch = (text: string) => fragment`
  and (strpos(lower(name), lower(${text})) > 0
       or id in (select m.account_id from members m join people p on p.id = m.person_id
                  where lower(p.email) = lower(${text})))`;

/** Updates the status by compare-and-set. Returns false if a concurrent change was committed first. */
export async function updateAccountStatus(
  tx: Tx,
  account: Pick<Account, "id" | "status">,
  next: { readonly status: AccountStatus; readonly approvedAt: Date | null },
  now: Date,
): Promise<boolean> {
  const rows = await tx`
    update accounts
       set status = ${next.status}, approved_at = ${next.approvedAt},
           closed_at = ${next.status === "closed" ? now : null}, version = version + 1
     where id = ${uuidOf(account.id)} and status = ${account.status}
    returning id
  `;
  return rows.length === 1;
}

export async function updateAccountTerms(
  tx: Tx,
  { id, feeBasisPoints, amounts, limits }: Account,
): Promise<void> {
  await tx`
    update accounts
       set fee_basis_points = ${feeBasisPoints}, amounts = ${JSON.stringify(amounts)},
           requests_per_second = ${limits.requestsPerSecond}, version = version + 1
     where id = ${uuidOf(id)}
  `;
}

/** Replaces the name and the profile. */
export async function updateAccountProfile(
  tx: Tx,
  { id, name, profile }: Pick<Account, "id" | "name" | "profile">,
): Promise<void> {
  await tx`
    update accounts
       set name = ${name}, support_email = ${profile.supportEmail}, support_phone = ${profile.supportPhone},
           statement_descriptor = ${profile.statementDescriptor}, time_zone = ${profile.timeZone},
           brand_color = ${profile.brandColor}, background_color = ${profile.backgroundColor}, logo = ${profile.logo},
           version = version + 1
     where id = ${uuidOf(id)}
  `;
}

/** Locks the account's row, so that decisions about its balance, settings or team run one after another. */
export async function lockAccount(tx: Tx, id: AccountId): Promise<void> {
  await tx`select 1 from accounts where id = ${uuidOf(id)} for no key update`;
}

/** Replaces the settings of one mode. If receipts are turned on, they are sent for the payments from `now` on. */
export async function updateAccountSettings(
  tx: Tx,
  { account, livemode }: Scope,
  { payoutSchedule, allowedOrigins, emailReceipts }: ModeSettings,
  now: Date,
): Promise<void> {
  const receiptsSince = emailReceipts ? now : null;
  await tx`
    insert into account_settings as s (account_id, livemode, payout_schedule, allowed_origins, receipts_since, changes)
    values (${uuidOf(account)}, ${livemode}, ${payoutSchedule}, ${allowedOrigins}, ${receiptsSince}, 1)
        on conflict (account_id, livemode) do update
       set payout_schedule = excluded.payout_schedule, allowed_origins = excluded.allowed_origins,
           receipts_since = case when excluded.receipts_since is not null
                                 then coalesce(s.receipts_since, excluded.receipts_since) end,
           changes = s.changes + 1
  `;
}
