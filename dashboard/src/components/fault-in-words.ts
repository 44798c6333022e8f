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

type Said = Pick<ApiProblem, "code" | "param" | "message">;

/** The fault of one field: in words of its own, else in the service's, without the names that only programs use. */
export function faultInWords({ code, param, message }: Said): string {
  const own = code === "unreachable" ? undefined : words[code];
  return own ?? plain(message, param);
}

/** "`url` is not …" → "This is not …", and of the second in a list "Entry 2 is not …". */
function plain(message: string, param: string | null): string {
  const place = /\[(\d+)\]$/.exec(param ?? "")?.[1];
  const subject = place === undefined ? "This" : `Entry ${Number(place) + 1}`;
  const named = param === null ? message : message.replaceAll(`\`${param}\``, subject);
  return named.replaceAll("`", "");
}
