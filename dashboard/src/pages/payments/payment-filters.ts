import { declineCodes } from "@florin/contract/declines.ts";
import { inWords } from "../../components/badge.tsx";
import { brandName } from "../../components/card.tsx";
import {
  amountFilter,
  choiceFilter,
  daysFilter,
  type Filter,
  metadataFilter,
  statusFilter,
  textFilter,
} from "../../components/filter.ts";

/** The statuses as shown, with the API query of each (`payment-status.tsx`). */
const queriesByStatus: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  succeeded: { status: "succeeded" },
  authorized: { status: "authorized" },
  in_review: { in_review: "true" },
  processing: { status: "processing" },
  requires_action: { status: "requires_action" },
  failed: { status: "failed" },
  canceled: { status: "canceled" },
  refunded: { refunded: "true" },
  disputed: { disputed: "true" },
};

const brands = ["visa", "mastercard", "amex", "discover", "diners", "jcb", "unionpay"];

/** The filters of the list of payments, as `GET /charges` offers them. */
export const paymentFilters: readonly Filter[] = [
  {
    ...statusFilter(Object.keys(queriesByStatus)),
    // A link can contain several statuses of the API: `status=failed,canceled`.
    query: ({ status }) => (status ? (queriesByStatus[status] ?? { status }) : {}),
  },
  daysFilter("created", "Date"),
  amountFilter(),
  textFilter("last4", "Last 4 digits", "The last four digits of the card.", (text) =>
    /^\d{4}$/.test(text) ? null : "Enter four digits, such as 4242.",
  ),
  choiceFilter(
    "decline_code",
    "Decline code",
    Object.keys(declineCodes).map((code) => [code, inWords(code)]),
    { single: true },
  ),
  textFilter("client_reference_id", "Reference", "Your ID for the order."),
  textFilter("customer_email", "Email", "The email address of the payer or the customer."),
  textFilter("customer_id", "Customer"),
  metadataFilter(),
  choiceFilter(
    "brand",
    "Brand",
    brands.map((brand) => [brand, brandName(brand)]),
    { single: true },
  ),
];
