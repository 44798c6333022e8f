import { Balance, BalanceTransaction, ListBalanceTransactions } from "@florin/contract/balance.ts";
import { ListOf } from "@florin/contract/list.ts";
import Type from "typebox";
import { noSuch, noSuchParameter } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { parseId, uuidOf } from "../../core/ids.ts";
import { currencyOfFilter } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import type { Database } from "../../platform/database/database.ts";
import { rejectUnknownFilterIds } from "../../platform/http/filter-ids.sql.ts";
import { listPage, type Page, pageOf, pageOfOne, typesOf } from "../../platform/http/list.ts";
import { ok, type Route, route } from "../../platform/http/route.ts";
import {
  type BalanceTransactionFilter,
  listBalanceTransactions,
  readBalance,
} from "./balance.sql.ts";
import {
  balanceTransactionObject,
  type BalanceTransaction as StoredTransaction,
  sourcePrefixes,
} from "./balance-transaction.ts";
import { statementHead, statementLine } from "./statement.ts";

/** The number of balance transactions that a statement download reads from the database at a time. */
const lineBatchSize = 1_000;

export function balanceRoutes({ database, clock }: { database: Database; clock: Clock }): Route[] {
  const url = "/api/v1/balance_transactions";
  return [
    route({
      method: "GET",
      path: "/balance",
      summary: "Retrieve your balance",
      permission: "balance:read",
      response: Balance,
      status: 200,
      async handle({ scope }) {
        const amounts = await readBalance(database.read, scope, clock.now());
        return ok({
          object: "balance",
          livemode: scope.livemode,
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
      response: ListOf(BalanceTransaction, url),
      status: 200,
      async handle({ scope, query }) {
        const page = pageOf(query, "txn");
        const rows = await foundBy(scope, filterOf(query), page);
        const now = clock.now();
        return ok(listPage(rows, page, url, (row) => balanceTransactionObject(row, now)));
      },
    }),
    route({
      method: "GET",
      path: "/balance_transactions/:id",
      summary: "Retrieve a balance transaction",
      permission: "balance:read",
      response: BalanceTransaction,
      status: 200,
      async handle({ scope, params }) {
        const text = params.id as string;
        const id = parseId("txn", text);
        const [row] = id
          ? await listBalanceTransactions(database.read, scope, {}, pageOfOne(id))
          : [];
        if (!row) throw noSuch("balance transaction", text);
        return ok(balanceTransactionObject(row, clock.now()));
      },
    }),
    route({
      method: "GET",
      path: "/balance_transactions.csv",
      summary: "Download a statement",
      permission: "balance:read",
      query: ListBalanceTransactions,
      response: Type.String({
        description: "A CSV file with a header line and one line for each movement, newest first.",
        examples: [statementHead],
      }),
      produces: ["text/csv"],
      status: 200,
      async handle({ scope, query }) {
        const pages = statementPages(scope, query);
        // Reads the first page before the response starts, so that a failure can still return an error status.
        const first = await pages.next();
        const body = statementHead + (first.done ? "" : first.value);
        return { status: 200, body, stream: pages, contentType: "text/csv; charset=utf-8" };
      },
    }),
  ];

  async function foundBy(
    scope: Scope,
    filter: BalanceTransactionFilter,
    page: Page,
  ): Promise<StoredTransaction[]> {
    const found = await listBalanceTransactions(database.read, scope, filter, page);
    await rejectUnknownFilterIds(database.read, scope, found, { source: filter.source });
    return found;
  }

  /**
   * Yields the CSV lines of one page at a time. Reads the next page after the client has consumed the previous one, so
   * that at most one page is in memory.
   */
  async function* statementPages(
    scope: Scope,
    query: ListBalanceTransactions,
  ): AsyncGenerator<string> {
    const filter = filterOf(query);
    const limit = query.limit ?? lineBatchSize;
    // A statement is ordered newest first, so each page continues below the last ID of the previous page.
    let page: Page = { ...pageOf(query, "txn"), limit, upwards: false };
    for (;;) {
      const rows = await foundBy(scope, filter, page);
      const now = clock.now();
      const shown = rows.slice(0, page.limit);
      yield shown.map((row) => statementLine(balanceTransactionObject(row, now))).join("");
      const last = shown.at(-1);
      if (query.limit !== undefined || rows.length <= page.limit || !last) return;
      page = { ...page, below: uuidOf(last.id) };
    }
  }
}

function filterOf(query: ListBalanceTransactions): BalanceTransactionFilter {
  const { source } = query;
  const type = typesOf(query);
  const currency = currencyOfFilter(query.currency);
  if (source === undefined) return { type, currency };
  const id = Object.values(sourcePrefixes)
    .map((prefix) => parseId(prefix, source))
    .find((parsed) => parsed !== null);
  if (!id) throw noSuchParameter("charge, refund, dispute, payout or settlement", source, "source");
  return { type, currency, source: id };
}
