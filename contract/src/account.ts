import Type, { type Static } from "typebox";
import { applicationStatuses } from "./application.ts";
import { id } from "./ids.ts";
import { nullable } from "./nullable.ts";
import { unixTime, version } from "./object-facts.ts";
import { origin } from "./web-address.ts";

export const accountStatuses = ["test_only", "approved", "suspended", "closed"] as const;
export type AccountStatus = (typeof accountStatuses)[number];

export const payoutSchedules = ["manual", "daily"] as const;
export type PayoutSchedule = (typeof payoutSchedules)[number];

/** The merchant that the API key belongs to. */
export const Account = Type.Object(
  {
    id: id("acct", "The account's id."),
    object: Type.Literal("account", { description: "Always `account`." }),
    livemode: Type.Boolean({ description: "The mode of the key that asks." }),
    created: unixTime("When it was created"),
    name: Type.String({
      description: "The merchant's name, as customers see it.",
      examples: ["Fieldware"],
    }),
    country: Type.String({ pattern: "^[A-Z]{2}$", description: "ISO 3166-1 code." }),
    status: Type.Enum([...accountStatuses], {
      description:
        "`test_only` until underwriting approves live mode. A `suspended` account cannot charge in live mode, a `closed` one not at all.",
    }),
    application_status: Type.Enum([...applicationStatuses], {
      description: "How far the application for live mode is; `draft` until it is submitted.",
    }),
    approved_at: nullable(
      unixTime("When underwriting opened live mode; it stays when the account is suspended later"),
    ),
    charges_enabled: Type.Boolean({
      description:
        "Whether a charge could be made in this key's mode. In live mode: the account is approved and an acquirer is connected. While false, charges, sessions and decisions are rejected, with `connector_not_configured` where only the acquirer is missing.",
    }),
    payout_schedule: Type.Enum([...payoutSchedules], {
      description:
        "`daily` pays out the available balance every day. `manual` pays out when you create a payout. Each mode has its own schedule.",
    }),
    allowed_origins: Type.Array(Type.String(), {
      description:
        "The origins whose pages may frame the card form of sessions that name none of their own. Each mode has its own list.",
    }),
    version: version(),
  },
  { description: "The merchant whose key it is." },
);
export type Account = Static<typeof Account>;

export const UpdateAccount = Type.Object(
  {
    payout_schedule: Type.Optional(
      Type.Enum([...payoutSchedules], {
        description: "When the balance of the key's mode is paid out.",
      }),
    ),
    allowed_origins: Type.Optional(
      Type.Array(origin("An origin such as `https://shop.example`."), {
        maxItems: 20,
        description:
          "The origins whose pages may frame the card form of sessions of the key's mode that name none of their own. An empty list allows no page. Replaces the previous list.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type UpdateAccount = Static<typeof UpdateAccount>;
