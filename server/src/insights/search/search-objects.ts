import { type DisplayStatus, displayStatusOf } from "@florin/contract/display-status.ts";
import type { Permission } from "@florin/contract/permissions.ts";
import type { SearchMatch, SearchResult } from "@florin/contract/search.ts";
import type { Customer } from "../../cards/customers/customer.ts";
import { findCustomers } from "../../cards/customers/find-customers.ts";
import { createdSeconds, type Id } from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";
import type { Scope } from "../../core/scope.ts";
import { readCharges } from "../../payments/charges/charge.sql.ts";
import type { Charge } from "../../payments/charges/charge.ts";
import type { ChargeFilter } from "../../payments/charges/charge-filter.ts";
import { findChargesByIdEnd } from "../../payments/charges/charge-list.sql.ts";
import { findCharges } from "../../payments/charges/find-charges.ts";
import { listDisputes } from "../../payments/disputes/dispute.sql.ts";
import { listOperations } from "../../payments/operations/operation.sql.ts";
import { refundIdOf } from "../../payments/operations/refund.ts";
import { listPayouts } from "../../payments/payouts/payout.sql.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { highest, lowest, next, type Page } from "../../platform/http/list.ts";
import { type SearchTerms, searchTerms } from "./search-terms.ts";

/** The maximum number of results for each property that matches. */
const maxResults = 5;
/** The maximum number of matching customers whose payments are returned too. */
const maxCustomersWithPayments = 3;

const newest: Page = { limit: maxResults, below: highest, from: lowest, upwards: false };

/**
 * Returns the objects that a search text can mean, the most specific meaning first. Each meaning is one list query that
 * an index or the search index of charges serves. Leaves out objects that the caller may not read.
 */
export async function searchObjects(
  read: Sql,
  scope: Scope,
  text: string,
  permissions: ReadonlySet<Permission>,
): Promise<SearchResult[]> {
  const terms = searchTerms(text);
  const found: SearchResult[] = [];
  if (terms.id) found.push(...(await byId(read, scope, terms.id, permissions)));
  if (terms.idEnd) {
    const ids = await findChargesByIdEnd(read, scope, terms.idEnd, maxResults);
    const charges = await readCharges(
      read,
      ids.map((id) => ({ scope, id })),
    );
    found.push(...charges.flatMap((charge) => (charge ? [chargeResult(charge, "id")] : [])));
  }
  for (const [match, filter] of chargeFilters(terms)) {
    const charges = await findCharges(read, scope, filter, newest);
    found.push(...charges.slice(0, maxResults).map((charge) => chargeResult(charge, match)));
  }
  if (terms.named && permissions.has("customers:read")) {
    found.push(...(await byCustomer(read, scope, text)));
  }
  const seen = new Set<string>();
  return found.filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** Returns a filter for each property of a charge that the text can mean. */
function chargeFilters(terms: SearchTerms): [SearchMatch, ChargeFilter][] {
  const { reference, email, last4, amounts, metadata } = terms;
  const filters: [SearchMatch, ChargeFilter][] = [];
  if (reference) filters.push(["reference", { clientReferenceId: reference }]);
  if (email) filters.push(["email", { email }]);
  if (last4) filters.push(["last4", { last4 }]);
  for (const { amountMinor, currencies } of amounts) {
    filters.push(["amount", { amount: { min: amountMinor, max: amountMinor }, currencies }]);
  }
  if (metadata) filters.push(["metadata", { metadata }]);
  return filters;
}

async function byId(
  read: Sql,
  scope: Scope,
  { prefix, first, last }: NonNullable<SearchTerms["id"]>,
  permissions: ReadonlySet<Permission>,
): Promise<SearchResult[]> {
  const page = { ...newest, from: first, below: next(last) };
  switch (prefix) {
    case "ch":
      return (await findCharges(read, scope, {}, page)).map((charge) => chargeResult(charge, "id"));
    case "re":
      return (await listOperations(read, scope, { kind: "refund" }, page)).map((refund) =>
        moneyResult("refund", refundIdOf(refund.id), refund, refund.status),
      );
    case "dp":
      if (!permissions.has("disputes:read")) return [];
      return (await listDisputes(read, scope, {}, page)).map((dispute) =>
        moneyResult("dispute", dispute.id, dispute, dispute.status),
      );
    case "po":
      if (!permissions.has("balance:read")) return [];
      return (await listPayouts(read, scope, {}, page)).map((payout) =>
        moneyResult("payout", payout.id, payout, payout.status),
      );
    case "cus":
      if (!permissions.has("customers:read")) return [];
      return (await findCustomers(read, scope, {}, page)).map((customer) =>
        customerResult(customer, "id"),
      );
  }
}

async function byCustomer(read: Sql, scope: Scope, search: string): Promise<SearchResult[]> {
  const customers = (await findCustomers(read, scope, { search }, newest)).slice(0, maxResults);
  const found = customers.map((customer) => customerResult(customer, "customer"));
  for (const customer of customers.slice(0, maxCustomersWithPayments)) {
    const charges = await findCharges(read, scope, { customerId: customer.id }, newest);
    const { name, email } = customer;
    for (const charge of charges.slice(0, maxResults)) {
      found.push({ ...chargeResult(charge, "customer"), name, email });
    }
  }
  return found;
}

const noFields = {
  amount: null,
  currency: null,
  status: null,
  display_status: null,
  last4: null,
  name: null,
  email: null,
};

function chargeResult(charge: Charge, match: SearchMatch): SearchResult {
  const { id, status, card } = charge;
  return {
    ...moneyResult("charge", id, charge, status),
    match,
    display_status: displayStatus(charge),
    last4: card.last4,
  };
}

/**
 * Returns the status that the dashboard shows. A charge in review has the status `authorized`, because the search does
 * not read its decision.
 */
function displayStatus(charge: Charge): DisplayStatus {
  const { capturedMinor, refundedMinor, disputedMinor } =
    charge.status === "succeeded"
      ? charge
      : { capturedMinor: 0, refundedMinor: 0, disputedMinor: 0 };
  return displayStatusOf(
    {
      status: charge.status,
      amount_refunded: refundedMinor,
      refunded: capturedMinor > 0 && refundedMinor === capturedMinor,
      disputed: disputedMinor > 0,
      reversal_pending: charge.status === "processing" && charge.reversalPending,
    },
    false,
  );
}

function moneyResult(
  type: SearchResult["type"],
  id: Id<string>,
  { price: { amountMinor, currency } }: { readonly price: Money },
  status: string,
): SearchResult {
  const found = { object: "search_result", type, id, created: createdSeconds(id) } as const;
  return { ...found, match: "id", ...noFields, amount: amountMinor, currency, status };
}

function customerResult({ id, name, email }: Customer, match: SearchMatch): SearchResult {
  const found = {
    object: "search_result",
    type: "customer",
    id,
    created: createdSeconds(id),
  } as const;
  return { ...found, match, ...noFields, name, email };
}
