import Type from "typebox";
import { countryCodes } from "./country-codes.ts";

const pattern = `^(?:${countryCodes.join("|")})$`;

export function countryCode(description: string) {
  return Type.String({
    pattern,
    "x-florin": "country",
    description: `${description}: ISO 3166-1 alpha-2 code in capital letters, such as \`DE\`.`,
  });
}
