import type { ErrorCode } from "@florin/contract/errors.ts";
import type { ApiProblem } from "../api/problem.ts";

/** Messages for people who fill in a form. The messages of the API are written for developers. */
const words: Partial<Record<ErrorCode, string>> = {
  parameter_missing: "This field is required.",
  parameter_invalid_string_empty: "This field is required.",
  parameter_invalid_string_blank: "This field is required.",
  email_invalid: "Enter a valid email address.",
  country_code_invalid: "Select a country.",
};

type FieldProblem = Pick<ApiProblem, "code" | "param" | "message">;

/**
 * Returns the message to show at a field: the message in `words`, or else the service's message without parameter
 * names.
 */
export function fieldErrorMessage({ code, param, message }: FieldProblem): string {
  const own = code === "unreachable" ? undefined : words[code];
  return own ?? plain(message, param);
}

/**
 * Replaces the parameter's name: "`url` must be …" → "This must be …", or "Entry 2 must be …" for the second entry of a
 * list.
 */
function plain(message: string, param: string | null): string {
  const index = /\[(\d+)\]$/.exec(param ?? "")?.[1];
  const subject = index === undefined ? "This" : `Entry ${Number(index) + 1}`;
  const named = param === null ? message : message.replaceAll(`\`${param}\``, subject);
  return named.replaceAll("`", "");
}
