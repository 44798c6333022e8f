import type { DisplayStatus } from "@florin/contract/display-status.ts";
import { readCustomerIdsByEmail } from "../../cards/customers/customer.sql.ts";
import { isFixedTestMethod } from "../../cards/payment-methods/payment-method-id.ts";
import type { Scope } from "../../core/scope.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { highest, next, type Page } from "../../platform/http/list.ts";
import { chargeColumns } from "./charge.sql.ts";
import type { Charge } from "./charge.ts";
import type { ChargeFilter, Conditions } from "./charge-filter.ts";
import {
  countListed,
  countListedIn,
  listCharges,
  listChargesIn,
  type ReadCharges,
} from "./charge-list.sql.ts";
import { type ChargeRow, toCharge } from "./charge-row.ts";
import { findBlocks, readSearchPosition } from "./charge-search.sql.ts";
import { hashWords, type IdRange, isContradictory, wordsOfFilter } from "./charge-search.ts";
import { readPayoutContents } from "./payout-contents.sql.ts";

/** The maximum number of customers that a search by email address includes. */
const maxCustomers = 1_000;

/** The number of blocks to find per query. A query costs about the same for one block as for this many. */
const blockBatchSize = 512;

/**
 * The number of blocks to read at first. After a read without a match, the number is multiplied by `growth`, up to
 * `maxBlocks`.
 */
const firstBlocks = 4;
const growth = 4;
const maxBlocks = 128;

/** Returns the matching charges (`findChargesAs`). */
export function findCharges(
  read: Sql,
  scope: Scope,
  filter: ChargeFilter,
  page: Page,
): Promise<Charge[]> {
  const readCharges: ReadCharges<Charge> = async (statement) =>
    (await read<ChargeRow>`${statement(chargeColumns)}`).map((row) => toCharge(row));
  return findChargesAs(readCharges, read, scope, filter, page);
}

/**
 * Returns the matching charges in the page's order, up to one more than the page size. A filter that has no indexed
 * words, or for which a suitable index on charges exists, takes one query. For other filters the search index selects
 * the blocks to read, and charges that are too new for the index are scanned.
 */
export async function findChargesAs<Result>(
  readCharges: ReadCharges<Result>,
  read: Sql,
  scope: Scope,
  filter: ChargeFilter,
  page: Page,
): Promise<Result[]> {
  const search = await searchOf(read, scope, filter, page);
  if (!search) return [];
  const { conditions, groups } = search;
  if (!groups) return listCharges(readCharges, scope, conditions, page);
  const found: Result[] = [];
  for await (const ranges of rangesToRead(read, scope, groups, page)) {
    for (let done = 0, size = firstBlocks; done < ranges.length && found.length <= page.limit; ) {
      const some = ranges.slice(done, done + size);
      const remainingPage = { ...page, limit: page.limit - found.length };
      const more = await listChargesIn(readCharges, scope, some, conditions, remainingPage);
      found.push(...more);
      done += some.length;
      size = nextSize(some.length, more.length, page.limit + 1 - found.length);
    }
    if (found.length > page.limit) break;
  }
  return found;
}

/** The maximum number of charges to count. */
const maxCount = 10_000;
/** The maximum number of blocks whose charges are compared with the filter for a count. */
const maxCountedBlocks = 200;

/**
 * Counts the matching charges within the page's bounds. The count is not exact if there are more than `maxCount`
 * matches, or if more than `maxCountedBlocks` blocks can contain one.
 */
export async function countCharges(
  read: Sql,
  scope: Scope,
  filter: ChargeFilter,
  page: Page,
): Promise<{ count: number; exact: boolean }> {
  const search = await searchOf(read, scope, filter, page);
  if (!search) return { count: 0, exact: true };
  const { conditions, groups } = search;
  if (!groups) return cappedCount(await countListed(read, scope, conditions, page, maxCount + 1));
  let count = 0;
  let blocks = 0;
  for await (const ranges of rangesToRead(read, scope, groups, page)) {
    for (let done = 0; done < ranges.length; done += maxBlocks) {
      const some = ranges.slice(done, Math.min(done + maxBlocks, done + maxCountedBlocks - blocks));
      if (some.length === 0) return { count, exact: false };
      count += await countListedIn(read, scope, some, conditions, page, maxCount + 1 - count);
      blocks += some.length;
      if (count > maxCount) return cappedCount(count);
    }
  }
  return { count, exact: true };
}

function cappedCount(count: number): { count: number; exact: boolean } {
  return { count: Math.min(count, maxCount), exact: count <= maxCount };
}

/**
 * Returns the conditions of a filter, and the hashed words to find in the search index. The words are null if the
 * search index is not used. Returns null if no charge can match.
 */
async function searchOf(read: Sql, scope: Scope, filter: ChargeFilter, page: Page) {
  const { email } = filter;
  const customersOfEmail = email
    ? await readCustomerIdsByEmail(read, scope, email, maxCustomers)
    : [];
  const { payoutId, ...rest } = filter;
  const payout = payoutId && (await readPayoutContents(read, scope, payoutId));
  const conditions: Conditions = { ...rest, customersOfEmail, payout };
  if (isContradictory(conditions)) return null;
  const groups = wordsOfFilter(conditions).map((some) => hashWords(scope, some));
  const isSearched = groups.length > 0 && !(await hasIndex(read, scope, conditions, groups, page));
  return { conditions, groups: isSearched ? groups : null };
}

/** Estimates the number of blocks to read next from the matches in the blocks just read. */
function nextSize(read: number, found: number, remaining: number): number {
  const guess = found === 0 ? read * growth : Math.ceil(((remaining * read) / found) * 1.2);
  return Math.min(guess, read * growth, maxBlocks);
}

/** The maximum number of blocks that are read instead of a partial index. */
const maxSelectedBlocks = 128;

/** Reports whether there is an index on charges that selects few charges other than the matching ones. */
async function hasIndex(
  read: Sql,
  scope: Scope,
  conditions: Conditions,
  groups: readonly (readonly string[])[],
  page: Page,
): Promise<boolean> {
  const { customerId, paymentMethodId, checkoutSessionId, clientReferenceId } = conditions;
  if (customerId || checkoutSessionId || clientReferenceId) return true;
  if (paymentMethodId && !isFixedTestMethod(paymentMethodId)) return true;
  const { declineCodes, refunded, disputed, inReview, displayStatuses } = conditions;
  const isRare =
    displayStatuses?.every((status) => indexedStatuses.has(status)) ||
    declineCodes ||
    refunded ||
    disputed ||
    inReview;
  if (!isRare) return false;
  // Ignores the words for the status. Nearly all blocks contain such a word, and the partial index already selects by
  // status.
  const others = { ...conditions, statuses: undefined, displayStatuses: undefined };
  if (wordsOfFilter(others).length === 0) return true;
  // The words of a filter can match nearly all blocks, for example the words for an amount of at most 10,000.00. Few of
  // these blocks contain a rare charge, so reading the partial index is faster. If the words match few blocks, reading
  // those blocks is faster, because the partial index can contain tens of thousands of charges.
  const limit = maxSelectedBlocks + 1;
  const blocks = await findBlocks(read, scope, groups, { ...page, limit });
  return blocks.length === limit;
}

/** The statuses in the dashboard that have a partial index. */
const indexedStatuses: ReadonlySet<DisplayStatus> = new Set<DisplayStatus>([
  "disputed",
  "refunded",
  "partially_refunded",
  "in_review",
]);

/** Yields the ranges to read, in the page's order. Charges newer than the search index are one range. */
async function* rangesToRead(
  read: Sql,
  scope: Scope,
  groups: readonly (readonly string[])[],
  page: Page,
): AsyncGenerator<readonly IdRange[]> {
  const searchedTo = await readSearchPosition(read, scope);
  const tail: IdRange = { first: next(searchedTo), last: highest };
  if (!page.upwards) yield [tail];
  // Excludes charges newer than the search index. Such a charge may be indexed while this generator runs, and would
  // then be returned twice.
  let rest = { ...page, below: page.below < tail.first ? page.below : tail.first };
  for (;;) {
    const blocks = await findBlocks(read, scope, groups, { ...rest, limit: blockBatchSize });
    const edge = blocks.at(-1);
    if (edge) yield blocks;
    if (!edge || blocks.length < blockBatchSize) break;
    rest = page.upwards ? { ...rest, from: next(edge.last) } : { ...rest, below: edge.first };
  }
  if (page.upwards) yield [tail];
}
