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

/** Blocks that are read at once: few at first, for most pages are full soon, and then ever more. */
const firstBlocks = 4;
const growth = 8;
const mostBlocks = 2_048;

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
    const wanted = { ...page, limit: page.limit - found.length };
    found.push(...(await listChargesIn(read, owner, ranges, conditions, wanted)));
    if (found.length > page.limit) break;
  }
  return found;
}

/** Whether an index of the charges leads to those that are asked for, or nearly. */
function hasIndex(conditions: Conditions): boolean {
  const { customerId, paymentMethodId, checkoutSessionId, clientReferenceId } = conditions;
  if (customerId || checkoutSessionId || clientReferenceId) return true;
  if (paymentMethodId && !isFixedTestMethod(paymentMethodId)) return true;
  if (hasRareWords(conditions)) return false;
  return Boolean(conditions.declineCode || conditions.refunded || conditions.disputed);
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
  for (let count = firstBlocks; ; count = Math.min(count * growth, mostBlocks)) {
    const blocks = await findBlocks(read, owner, groups, { ...rest, limit: count });
    const edge = blocks.at(-1);
    if (edge) yield blocks;
    if (!edge || blocks.length < count) break;
    rest = page.upwards ? { ...rest, from: next(edge.last) } : { ...rest, below: edge.first };
  }
  if (page.upwards) yield [tail];
}
