import { Balance, BalanceTransaction, ListBalanceTransactions } from "@florin/contract/balance.ts";
import { ListOf } from "@florin/contract/list.ts";
import Type from "typebox";
import type { Database } from "../database/database.ts";
import { listPage, pageOf } from "../http/list.ts";
import { ok, type Route, route } from "../http/route.ts";
import { ApiError, noSuchParameter } from "../primitives/api-error.ts";
import type { Clock } from "../primitives/clock.ts";
import { parseId, uuidOf } from "../primitives/ids.ts";
import {
  type BalanceTransactionFilter,
  listBalanceTransactions,
  readBalance,
} from "./balance.sql.ts";
import { balanceTransactionObject, sourcePrefixes } from "./balance-transaction.ts";
import { statement } from "./statement.ts";

/** The longest statement that is written at once. */
const mostLines = 10_000;

export function balanceRoutes({ database, clock }: { database: Database; clock: Clock }): Route[] {
  const url = "/api/v1/balance_transactions";
  return [
    route({
      method: "GET",
      path: "/balance",
      summary: "Read your balance",
      permission: "balance:read",
      answer: Balance,
      status: 200,
      async handle({ owner }) {
        const amounts = await readBalance(database.read, owner, clock.now());
        return ok({
          object: "balance",
          livemode: owner.livemode,
          available: amounts.map(({ currency, availableMinor: amount }) => ({ currency, amount })),
          pending: amounts.map(({ currency, pendingMinor: amount }) => ({ currency, amount })),
        });
      },
    }),
    route({
      method: "GET",
      path: "/balance_transactions",
      summary: "List balance transactions",
      permission: "balance:read",
      query: ListBalanceTransactions,
      answer: ListOf(BalanceTransaction, url),
      status: 200,
      async handle({ owner, query }) {
        const page = pageOf(query, "txn");
        const rows = await listBalanceTransactions(database.read, owner, filterOf(query), page);
        const now = clock.now();
        return ok(listPage(rows, page, url, (row) => balanceTransactionObject(row, now)));
      },
    }),
    route({
      method: "GET",
      path: "/balance_transactions.csv",
      summary: "Download a statement",
      permission: "balance:read",
      query: ListBalanceTransactions,
      answer: Type.String({ description: "One line for each movement, newest first." }),
      produces: "text/csv",
      status: 200,
      async handle({ owner, query }) {
        const page = { ...pageOf(query, "txn"), limit: query.limit ?? mostLines };
        const rows = await listBalanceTransactions(database.read, owner, filterOf(query), page);
        if (query.limit === undefined && rows.length > mostLines) throw tooLong();
        const now = clock.now();
        const objects = rows.slice(0, page.limit).map((row) => balanceTransactionObject(row, now));
        return { status: 200, body: statement(objects), contentType: "text/csv; charset=utf-8" };
      },
    }),
  ];
}

function tooLong(): ApiError {
  return new ApiError(
    "parameter_invalid",
    `The statement would be longer than ${mostLines} lines. Ask for a shorter time with created[gte] and created[lt].`,
    { param: "created" },
  );
}

function filterOf(query: ListBalanceTransactions): BalanceTransactionFilter {
  const { type, currency, source } = query;
  if (source === undefined) return { type, currency };
  const id = Object.values(sourcePrefixes)
    .map((prefix) => parseId(prefix, source))
    .find((parsed) => parsed !== null);
  if (!id) throw noSuchParameter("charge, refund, dispute or payout", source, "source");
  return { type, currency, source: uuidOf(id) };
}
