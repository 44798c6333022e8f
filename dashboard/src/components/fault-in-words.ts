import type { ErrorCode } from "@florin/contract/errors.ts";
import type { ApiProblem } from "../api/problem.ts";

/** What the API says to whoever writes programs, for people who fill in a form. */
const words: Partial<Record<ErrorCode, string>> = {
  parameter_missing: "Fill this in.",
  parameter_invalid_string_empty: "Fill this in.",
  parameter_invalid_string_blank: "Fill this in.",
  email_invalid: "This is not an email address.",
  country_code_invalid: "Choose a country.",
};

/** The fault of one field, as its own words where there are none better. */
export function faultInWords({ code, message }: ApiProblem): string {
  return (code !== "unreachable" && words[code]) || message;
}
