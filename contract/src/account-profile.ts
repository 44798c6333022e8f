import Type, { type Static } from "typebox";
import { nullable } from "./nullable.ts";
import { properName } from "./text.ts";
import { timeZone } from "./time-zone.ts";
import { emailAddress } from "./web-address.ts";

/** The media types and limits of a logo. SVG is not accepted, because an SVG file can contain scripts. */
export const logoMediaTypes = ["image/png", "image/jpeg"] as const;
export type LogoMediaType = (typeof logoMediaTypes)[number];
export const logoLimits = { maxBytes: 256 * 1024, minPixels: 32, maxPixels: 2_048 } as const;

/** A color in the format of `<input type="color">`. */
function color(description: string) {
  return Type.String({ pattern: "^#[0-9A-Fa-f]{6}$", description, examples: ["#0b5d45"] });
}

/**
 * The default statement descriptor. Card networks accept only printable ASCII characters. At least one must be a
 * letter, because a number alone does not tell the cardholder who charged the card.
 */
function defaultDescriptor() {
  const allowed = "[ !#-&(-),-;=?-\\[\\]-~]";
  const notSpace = "[!#-&(-),-;=?-\\[\\]-~]";
  return Type.String({
    minLength: 5,
    maxLength: 22,
    pattern: `^(?=.*[A-Za-z])${notSpace}${allowed}*${notSpace}$`,
    "x-florin": "characters",
    description:
      "Text on the cardholder's statement, for charges without a `statement_descriptor`: 5 to 22 ASCII characters without < > \\ ' \" and *, with at least one letter.",
    examples: ["FIELDWARE SHOP"],
  });
}

const supportPhone = () =>
  Type.String({
    pattern: "^\\+?[0-9](?:[ ().\\/\\-]?[0-9]){4,18}$",
    description:
      "Telephone number of your support, as customers see it. Begin with `+` and the country code.",
    examples: ["+1 555 010 0199"],
  });

const fields = {
  support_email: () =>
    emailAddress("Email address of your support, which the card form shows to customers."),
  support_phone: supportPhone,
  statement_descriptor: defaultDescriptor,
  time_zone: () =>
    timeZone(
      "Time zone of your business. The dashboard shows dates and days in this time zone. If it is null, the dashboard uses the time zone of each person's browser.",
    ),
  brand_color: () =>
    color(
      "Color of the card form's buttons. The color of the text on them is chosen so that it is readable. The contrast with white must be at least 3:1.",
    ),
  background_color: () =>
    color(
      "Background color of the hosted payment page. The color of the text on it is chosen so that it is readable. A light color is not used in the dark color scheme of a customer's browser.",
    ),
} as const;

/** The fields of the account object that customers see. Test mode and live mode share these fields. */
export const profileFields = {
  support_email: nullable(fields.support_email()),
  support_phone: nullable(fields.support_phone()),
  statement_descriptor: nullable(fields.statement_descriptor()),
  time_zone: nullable(fields.time_zone()),
  brand_color: nullable(fields.brand_color()),
  background_color: nullable(fields.background_color()),
  logo_path: nullable(
    Type.String({ description: "Path of your logo at the service, such as `/branding/…`." }),
  ),
} as const;

export const UpdateAccountProfile = Type.Object(
  {
    name: Type.Optional(properName(100, "Name of your business, as customers see it.")),
    support_email: Type.Optional(nullable(fields.support_email())),
    support_phone: Type.Optional(nullable(fields.support_phone())),
    statement_descriptor: Type.Optional(nullable(fields.statement_descriptor())),
    time_zone: Type.Optional(nullable(fields.time_zone())),
    brand_color: Type.Optional(nullable(fields.brand_color())),
    background_color: Type.Optional(nullable(fields.background_color())),
  },
  { additionalProperties: false },
);
export type UpdateAccountProfile = Static<typeof UpdateAccountProfile>;
