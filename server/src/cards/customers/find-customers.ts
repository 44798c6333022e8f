import type { ListCustomers } from "@florin/contract/customer.ts";
import { noSuchParameter } from "../../core/api-error.ts";
import { parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Sql } from "../../platform/database/sql.ts";
import type { Page } from "../../platform/http/list.ts";
import {
  type CustomerFilter,
  listCustomers,
  scanCustomers,
  searchCustomers,
} from "./customer.sql.ts";
import type { Customer } from "./customer.ts";

/** The number of customers that a search by words scans in the order of the list before it uses the index on words. */
const maxScanned = 2_000;

/**
 * Returns the matching customers in the page's order, up to one more than the page size. First scans customers in the
 * list's order, because a frequent word fills the page from the first customers. If these do not fill the page, uses
 * the index on words. The index is slower for a frequent word, because it returns all customers with the word, which
 * must then be sorted.
 */
export async function findCustomers(
  read: Sql,
  scope: Scope,
  { email, ids, search }: Pick<ListCustomers, "email" | "ids" | "search">,
  page: Page,
): Promise<Customer[]> {
  const filter: CustomerFilter = { email, ids: ids?.map(customerId) };
  if (search === undefined) return listCustomers(read, scope, filter, page);
  const words = wordsOf(search);
  if (words.length === 0) return [];
  const first = await scanCustomers(read, scope, filter, words, page, maxScanned);
  return first.length > page.limit ? first : searchCustomers(read, scope, filter, words, page);
}

function customerId(text: string) {
  const id = parseId("cus", text);
  if (!id) throw noSuchParameter("customer", text, "ids");
  return id;
}

/** Returns the words of a text. `customer_words()` in the schema splits names and email addresses in the same way. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return [...new Set(words)].filter(Boolean);
}
