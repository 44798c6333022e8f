import Type, { type Static } from "typebox";
import { id, idParameter } from "./ids.ts";
import { listQuery } from "./list.ts";
import { nullable } from "./nullable.ts";
import { objectFields } from "./object-fields.ts";
import { emailAddress } from "./web-address.ts";

/** An email to a customer about a payment or a refund. */
export const Receipt = Type.Object(
  {
    ...objectFields("rcpt", "receipt"),
    number: Type.String({
      description: "Receipt number of the payment, as the email shows it.",
      examples: ["Q2V7-Z4H6-K1SB"],
    }),
    charge_id: id("ch", "Charge of the receipt."),
    refund_id: nullable(id("re", "Refund of the receipt. Null for the receipt of a payment.")),
    email: Type.String({ description: "Email address to which the receipt was sent." }),
  },
  { description: "Email to a customer about a payment or a refund." },
);
export type Receipt = Static<typeof Receipt>;

export const SendReceipt = Type.Object(
  {
    charge_id: idParameter("ch", "Succeeded charge of the receipt."),
    email: Type.Optional(
      emailAddress(
        "Email address of the recipient. By default, the email address of the charge's checkout session or customer.",
      ),
    ),
  },
  { additionalProperties: false },
);
export type SendReceipt = Static<typeof SendReceipt>;

export const ListReceipts = listQuery({
  charge_id: Type.Optional(idParameter("ch", "Charge to filter by.")),
});
export type ListReceipts = Static<typeof ListReceipts>;
