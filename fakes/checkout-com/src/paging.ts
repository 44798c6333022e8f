import { invalid } from "./api-error.ts";

/** Reads the parameters of a list. The limits are those of `GET /disputes` (nas-openapi.json). */
export function pageOf(query: URLSearchParams, defaultLimit: number) {
  const limit = Number(query.get("limit") ?? defaultLimit);
  const skip = Number(query.get("skip") ?? 0);
  if (!Number.isInteger(limit) || limit < 1 || limit > 250) throw invalid("paging_limit_invalid");
  if (!Number.isInteger(skip) || skip < 0) throw invalid("paging_skip_invalid");
  return { limit, skip };
}
