import { readCustomerIdsByEmail } from "../customers/customer.sql.ts";
import type { Sql } from "../database/sql.ts";
import { highest, next, type Page } from "../http/list.ts";
import { isFixedTestMethod } from "../payment-methods/payment-method-id.ts";
import type { Owner } from "../primitives/owner.ts";
import type { Charge } from "./charge.ts";
import type { ChargeFilter, Conditions } from "./charge-filter.ts";
import { listCharges, listChargesIn } from "./charge-list.sql.ts";
import { findBlocks, readSearchedTo } from "./charge-search.sql.ts";
import { hashWords, hasRareWords, type IdRange, wordsOfFilter } from "./charge-search.ts";

/** How many customers of one email address are looked for. */
const mostCustomers = 1_000;

/** So many blocks are asked for at once: a lookup costs about the same for one as for all of them. */
const blocksAtOnce = 512;

/** So many of them are read at first, and so many times more each time that none held what is wanted. */
const firstBlocks = 4;
const growth = 4;
const mostBlocks = 128;

/**
 * The charges that meet a filter, one more than the page has, in the order in which it is read. Most filters have an
 * index of their own or are met by every other charge; for the others the search says which blocks to look into, and
 * what is too new for it is looked through.
 */
export async function findCharges(
  read: Sql,
  owner: Owner,
  filter: ChargeFilter,
  page: Page,
): Promise<Charge[]> {
  const { email } = filter;
  const customersOfEmail = email
    ? await readCustomerIdsByEmail(read, owner, email, mostCustomers)
    : [];
  const conditions: Conditions = { ...filter, customersOfEmail };
  const groups = wordsOfFilter(conditions);
  if (groups.length === 0 || hasIndex(conditions)) {
    return listCharges(read, owner, conditions, page);
  }
  const hashed = groups.map((words) => hashWords(owner, words));
  const found: Charge[] = [];
  for await (const ranges of rangesToRead(read, owner, hashed, page)) {
    for (let done = 0, size = firstBlocks; done < ranges.length && found.length <= page.limit; ) {
      const some = ranges.slice(done, done + size);
      const wanted = { ...page, limit: page.limit - found.length };
      const more = await listChargesIn(read, owner, some, conditions, wanted);
      found.push(...more);
      done += some.length;
      size = nextSize(some.length, more.length, page.limit + 1 - found.length);
    }
    if (found.length > page.limit) break;
  }
  return found;
}

/** As many as should hold what is still wanted, going by those that were just read. */
function nextSize(read: number, found: number, wanted: number): number {
  const guess = found === 0 ? read * growth : Math.ceil(((wanted * read) / found) * 1.2);
  return Math.min(guess, read * growth, mostBlocks);
}

/** Whether an index of the charges leads to those that are asked for, or nearly. */
function hasIndex(conditions: Conditions): boolean {
  const { customerId, paymentMethodId, checkoutSessionId, clientReferenceId } = conditions;
  if (customerId || checkoutSessionId || clientReferenceId) return true;
  if (paymentMethodId && !isFixedTestMethod(paymentMethodId)) return true;
  if (hasRareWords(conditions)) return false;
  return Boolean(conditions.declineCodes || conditions.refunded || conditions.disputed);
}

/** Where such charges may be, in the order of the page. What is newer than the search is one range of its own. */
async function* rangesToRead(
  read: Sql,
  owner: Owner,
  groups: readonly (readonly string[])[],
  page: Page,
): AsyncGenerator<readonly IdRange[]> {
  const searchedTo = await readSearchedTo(read, owner);
  const tail: IdRange = { first: next(searchedTo), last: highest };
  if (!page.upwards) yield [tail];
  // What is entered meanwhile is in the tail already.
  let rest = { ...page, below: page.below < tail.first ? page.below : tail.first };
  for (;;) {
    const blocks = await findBlocks(read, owner, groups, { ...rest, limit: blocksAtOnce });
    const edge = blocks.at(-1);
    if (edge) yield blocks;
    if (!edge || blocks.length < blocksAtOnce) break;
    rest = page.upwards ? { ...rest, from: next(edge.last) } : { ...rest, below: edge.first };
  }
  if (page.upwards) yield [tail];
}
