import {
  checklistItems,
  type HistoryEntry,
  type ReviewedApplication,
} from "@florin/contract/operator.ts";
import { noSuch } from "../../core/api-error.ts";
import { unixSeconds } from "../../core/clock.ts";
import { type AccountId, createdAt } from "../../core/ids.ts";
import { readAccount } from "../../identity/accounts/account.sql.ts";
import { applicationObject } from "../underwriting/application-object.ts";
import { listChecked } from "../underwriting/checklist.sql.ts";
import { checklist } from "../underwriting/checklist.ts";
import { listHistory } from "../underwriting/history.sql.ts";
import { readWholeApplication } from "../underwriting/read-application.ts";
import { operatorAccountObject } from "./operator-account-object.ts";
import type { OperatorDeps } from "./operator-deps.ts";
import { readEmailAddresses } from "./team.sql.ts";

/** Returns the data that an operator needs to decide on an application. */
export async function describeReview(
  deps: OperatorDeps,
  id: AccountId,
): Promise<ReviewedApplication> {
  const { read } = deps.database;
  const account = await readAccount(read, id);
  if (!account) throw noSuch("account", id);
  const [whole, checked, history] = await Promise.all([
    readWholeApplication(deps, id),
    listChecked(read, id),
    describeHistory(deps, id),
  ]);
  const names = await readEmailAddresses(
    read,
    checked.map(({ person }) => person),
  );
  return {
    application: applicationObject(whole),
    account: operatorAccountObject(account, deps.isConnected),
    checklist: checklistItems.map((item) => {
      const found = checked.find((one) => one.item === item);
      return {
        item,
        question: checklist[item],
        checked_by: found ? (names.get(found.person) ?? found.person) : null,
        checked_at: found ? unixSeconds(found.checkedAt) : null,
      };
    }),
    history,
  };
}

export async function describeHistory(
  { database }: OperatorDeps,
  id: AccountId,
): Promise<HistoryEntry[]> {
  const entries = await listHistory(database.read, id);
  const names = await readEmailAddresses(
    database.read,
    entries.map(({ person }) => person),
  );
  return entries.map((entry) => ({
    id: entry.id,
    created: unixSeconds(createdAt(entry.id)),
    transition: entry.transition,
    by: names.get(entry.person) ?? entry.person,
    text: entry.text,
  }));
}
