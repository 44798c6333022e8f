import Type, { type Static } from "typebox";
import { displayStatuses } from "./display-status.ts";
import { nullable } from "./nullable.ts";
import { unixTime } from "./object-fields.ts";
import { text } from "./text.ts";

export const searchedTypes = ["charge", "refund", "dispute", "customer", "payout"] as const;
/** The types of objects that a search finds. */
export type SearchedType = (typeof searchedTypes)[number];

export const searchMatches = [
  "id",
  "reference",
  "email",
  "last4",
  "amount",
  "metadata",
  "customer",
] as const;
/** The property of an object in which a search found its text. */
export type SearchMatch = (typeof searchMatches)[number];

export const SearchResult = Type.Object(
  {
    object: Type.Literal("search_result", { description: "Always `search_result`." }),
    type: Type.Enum([...searchedTypes], { description: "Type of the found object." }),
    id: Type.String({ description: "ID of the found object." }),
    created: unixTime("Time of creation"),
    match: Type.Enum([...searchMatches], {
      description:
        "Property that matched: the ID, the `client_reference_id`, the email address, the last four digits of the card, the amount, a metadata value, or the customer's name or email address.",
    }),
    amount: nullable(
      Type.Integer({
        description: "Amount in the smallest unit of the currency. Null for a customer.",
      }),
    ),
    currency: nullable(Type.String({ description: "Currency of the amount." })),
    status: nullable(Type.String({ description: "Status of the object. Null for a customer." })),
    display_status: nullable(
      Type.Enum([...displayStatuses], {
        description:
          "Status of the charge in the dashboard, which also considers refunds and disputes, but not reviews. Null for any other object.",
      }),
    ),
    last4: nullable(
      Type.String({ description: "Last four digits of the card. Only for a charge." }),
    ),
    name: nullable(
      Type.String({
        description:
          "Name of the customer. Only for a customer, or for a charge that was found by its customer.",
      }),
    ),
    email: nullable(
      Type.String({
        description:
          "Email address of the customer. Only for a customer, or for a charge that was found by its customer.",
      }),
    ),
  },
  { description: "An object that a search found." },
);
export type SearchResult = Static<typeof SearchResult>;

export const SearchResults = Type.Object(
  {
    object: Type.Literal("search_results", { description: "Always `search_results`." }),
    data: Type.Array(SearchResult, {
      description:
        "Found objects, grouped by the property that matched. At most five for each meaning of the text. For the name or email address of a customer, at most five customers, and the five latest payments of each of the first three.",
    }),
  },
  { description: "Results of a search." },
);
export type SearchResults = Static<typeof SearchResults>;

export const Search = Type.Object(
  {
    query: text(
      200,
      "Text to search for: an ID or the beginning of one, an email address, the last four digits of a card, an amount such as `19.99`, a `client_reference_id`, a metadata pair such as `order=1234`, or the beginning of words of a customer's name.",
      "19.99",
    ),
  },
  { additionalProperties: false },
);
export type Search = Static<typeof Search>;
