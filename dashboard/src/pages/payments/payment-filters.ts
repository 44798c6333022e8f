import { declineCodes } from "@florin/contract/declines.ts";
import { displayStatuses } from "@florin/contract/display-status.ts";
import type { UrlQuery } from "../../api/use-url-query.ts";
import { inWords } from "../../components/badge.tsx";
import { brandName } from "../../components/brand-name.ts";
import {
  amountFilter,
  choiceFilter,
  daysFilter,
  type Filter,
  metadataFilter,
  statusFilter,
  textFilter,
} from "../../components/filter.ts";

const brands = ["visa", "mastercard", "amex", "discover", "diners", "jcb", "unionpay"];

/** The filters of the list of payments, which correspond to the parameters of `GET /charges`. */
export const paymentFilters: readonly Filter[] = [
  {
    ...statusFilter(displayStatuses),
    query: ({ status }) => (status ? { display_status: status } : {}),
  },
  daysFilter("created", "Date"),
  amountFilter(),
  textFilter("last4", "Last 4 digits", "The last four digits of the card.", (text) =>
    /^\d{4}$/.test(text) ? null : "Enter four digits, such as 4242.",
  ),
  choiceFilter(
    "decline_code",
    "Decline reason",
    Object.keys(declineCodes).map((code) => [code, inWords(code)]),
    { single: true },
  ),
  textFilter("client_reference_id", "Reference", "Your ID for the order."),
  textFilter("customer_email", "Email", "The email address of the payer or the customer."),
  textFilter("customer_id", "Customer"),
  textFilter("payout_id", "Payout", "The ID of a payout."),
  metadataFilter(),
  choiceFilter(
    "brand",
    "Brand",
    brands.map((brand) => [brand, brandName(brand)]),
    { single: true },
  ),
];

/**
 * Returns the filters for a text in the search field. Clears every other filter that a search can set, so that a new
 * search replaces the previous one.
 */
export function searchQuery(text: string): UrlQuery {
  const none = Object.fromEntries(searchedNames.map((name) => [name, undefined]));
  if (text === "") return none;
  const [, key, value] = /^([\w-]{1,40})\s*[=:]\s*(\S.*)$/.exec(text) ?? [];
  if (text.includes("@")) return { ...none, customer_email: text };
  if (/^\d{4}$/.test(text)) return { ...none, last4: text };
  if (key && value) return { ...none, metadata_key: key, metadata_value: value };
  if (/^cus_[0-9a-z]{26}$/.test(text)) return { ...none, customer_id: text };
  const [, amount] = /^\p{Sc}?\s*([\d.,]+[.,]\d{2})$/u.exec(text) ?? [];
  if (amount) return { ...none, amount_from: amount, amount_to: amount };
  return { ...none, client_reference_id: text };
}

const searchedNames = [
  "customer_email",
  "last4",
  "metadata_key",
  "metadata_value",
  "customer_id",
  "amount_from",
  "amount_to",
  "client_reference_id",
];
