import Type, { type Static } from "typebox";
import { profileFields } from "./account-profile.ts";
import { applicationStatuses } from "./application.ts";
import { id } from "./ids.ts";
import { nullable } from "./nullable.ts";
import { unixTime, version } from "./object-fields.ts";
import { origin } from "./web-address.ts";

export const accountStatuses = ["test_only", "approved", "suspended", "closed"] as const;
export type AccountStatus = (typeof accountStatuses)[number];

export const payoutSchedules = ["manual", "daily"] as const;
export type PayoutSchedule = (typeof payoutSchedules)[number];

/** The merchant's account, to which the API key belongs. */
export const Account = Type.Object(
  {
    id: id("acct", "ID of the account."),
    object: Type.Literal("account", { description: "Always `account`." }),
    livemode: Type.Boolean({ description: "True if the request was sent in live mode." }),
    created: unixTime("Time of creation"),
    name: Type.String({
      description: "Name of the merchant, as customers see it.",
      examples: ["Fieldware"],
    }),
    country: Type.String({
      pattern: "^[A-Z]{2}$",
      description: "ISO 3166-1 alpha-2 code of the merchant's country.",
    }),
    status: Type.Enum([...accountStatuses], {
      description:
        "`test_only` until underwriting approves live mode. A `suspended` account cannot charge in live mode, and a `closed` account cannot charge at all.",
    }),
    application_status: Type.Enum([...applicationStatuses], {
      description: "Status of the application for live mode. `draft` until it is submitted.",
    }),
    approved_at: nullable(
      unixTime(
        "Time at which underwriting enabled live mode",
        "A later suspension does not change this time.",
      ),
    ),
    charges_enabled: Type.Boolean({
      description:
        "True if a charge is possible in this key's mode. In live mode this requires an approved account and a connected acquirer. While the field is false, charges, checkout sessions and decisions are rejected. The error is `connector_not_configured` if only the acquirer is missing.",
    }),
    payout_schedule: Type.Enum([...payoutSchedules], {
      description:
        "Payout schedule of test mode. `daily` pays out the available balance every day. `manual` pays out when you create a payout. In live mode, the acquirer pays you on its own schedule, so the value has no effect.",
    }),
    allowed_origins: Type.Array(Type.String(), {
      description:
        "Origins whose pages may frame the card form of sessions that list no origins. Each mode has a separate list.",
    }),
    email_receipts: Type.Boolean({
      description:
        "True if customers get a receipt by email after each successful payment and refund. Each mode has its own setting.",
    }),
    ...profileFields,
    version: version(),
  },
  { description: "The merchant that the key belongs to." },
);
export type Account = Static<typeof Account>;

export const UpdateAccount = Type.Object(
  {
    payout_schedule: Type.Optional(
      Type.Enum([...payoutSchedules], {
        description: "Payout schedule of the key's mode.",
      }),
    ),
    allowed_origins: Type.Optional(
      Type.Array(origin("Origin such as `https://shop.example`."), {
        maxItems: 20,
        description:
          "Origins whose pages may frame the card form of sessions that list no origins, in the key's mode. An empty list allows no page. Replaces the previous list.",
      }),
    ),
    email_receipts: Type.Optional(
      Type.Boolean({
        description:
          "True to email customers a receipt after each successful payment and refund from now on, in the key's mode. A receipt requires the email address of the checkout session or customer.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type UpdateAccount = Static<typeof UpdateAccount>;
