import type { ChargeStatus } from "@florin/contract/charge.ts";
import { declineCodes } from "@florin/contract/declines.ts";
import { inWords } from "../../components/badge.tsx";
import { brandName } from "../../components/card.tsx";
import {
  amountFilter,
  choiceFilter,
  daysFilter,
  type Filter,
  metadataFilter,
  textFilter,
} from "../../components/filter.ts";

const statuses: readonly ChargeStatus[] = [
  "succeeded",
  "authorized",
  "processing",
  "requires_action",
  "failed",
  "canceled",
];

const brands = ["visa", "mastercard", "amex", "discover", "diners", "jcb", "unionpay"];

/** The filters of the list of payments, as `GET /charges` offers them. */
export const paymentFilters: readonly Filter[] = [
  choiceFilter(
    "status",
    "Status",
    statuses.map((status) => [status, inWords(status)]),
  ),
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
  choiceFilter(
    "disputed",
    "Disputed",
    [
      ["true", "Disputed"],
      ["false", "Not disputed"],
    ],
    { single: true },
  ),
  choiceFilter(
    "refunded",
    "Refunded",
    [
      ["true", "In full"],
      ["false", "Not in full"],
    ],
    { single: true },
  ),
];
