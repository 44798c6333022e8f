import type { ListPage, OneOrMore, PageQuery } from "@florin/contract/list.ts";
import { defaultPage } from "@florin/contract/list.ts";
import { ApiError } from "../../core/api-error.ts";
import { firstUuidAt, type Id, parseId, uuidOf } from "../../core/ids.ts";
import { maskSecrets } from "../../core/mask-secrets.ts";
import { type Fragment, fragment } from "../database/sql.ts";
import { type BodyBytes, bodyBuffers } from "./body-buffers.ts";

/**
 * Lists use keyset pagination. An id is its own cursor. Since ids begin with the time of creation, a bound on
 * `created` is a bound on the id as well, and the primary key serves both.
 */
export type Page = {
  readonly limit: number;
  /** Exclusive upper bound, as a uuid. */
  readonly below: string;
  /** Inclusive lower bound, as a uuid. */
  readonly from: string;
  /** True for `ending_before`, which selects the page just above the bound. Rows are then read in ascending order. */
  readonly upwards: boolean;
};

export const lowest = "00000000-0000-0000-0000-000000000000";
export const highest = "ffffffff-ffff-ffff-ffff-ffffffffffff";

export function pageOf(query: PageQuery, prefix: string): Page {
  const { starting_after, ending_before } = query;
  const created = boundsOf(query.created);
  if (starting_after !== undefined && ending_before !== undefined) {
    throw new ApiError(
      "parameters_exclusive",
      "Send either `starting_after` or `ending_before`. Got both.",
      { param: "ending_before" },
    );
  }
  const below = [highest];
  const from = [lowest];
  if (starting_after !== undefined) below.push(cursor(prefix, starting_after, "starting_after"));
  if (ending_before !== undefined) from.push(next(cursor(prefix, ending_before, "ending_before")));
  if (created.lt !== undefined) below.push(secondStart(created.lt));
  if (created.lte !== undefined) below.push(secondStart(created.lte + 1));
  if (created.gte !== undefined) from.push(secondStart(created.gte));
  if (created.gt !== undefined) from.push(secondStart(created.gt + 1));
  return {
    limit: query.limit ?? defaultPage,
    below: below.sort()[0] as string,
    from: from.sort().at(-1) as string,
    upwards: ending_before !== undefined,
  };
}

/** Returns the bounds of a number filter. An exact number is both bounds. */
export function boundsOf<Bounds extends { readonly gte?: number; readonly lte?: number }>(
  given: number | Bounds | undefined,
): Bounds | { gte?: number; lte?: number; gt?: undefined; lt?: undefined } {
  return typeof given === "number" ? { gte: given, lte: given } : (given ?? {});
}

/** Returns the values of a filter without duplicates. */
export function valuesOf<Value>(given: OneOrMore<Value>): readonly Value[] {
  return [...new Set([given].flat() as Value[])];
}

/**
 * Returns the condition that restricts a list to rows whose column has one of the values. A single value is compared
 * with `=`, so that Postgres can read the page from an index in ID order, without sorting.
 */
export function isOneOf(column: Fragment, given: OneOrMore<string> | undefined): Fragment {
  if (given === undefined) return fragment``;
  const values = valuesOf(given);
  return values.length === 1
    ? fragment`and ${column} = ${values[0] as string}`
    : fragment`and ${column} = any (${values}::text[])`;
}

/** Returns the condition that restricts a list to rows that meet the condition of at least one of the values. */
export function meetsOneOf<Value extends string>(
  conditions: Readonly<Record<Value, Fragment>>,
  given: OneOrMore<Value> | undefined,
): Fragment {
  if (given === undefined) return fragment``;
  const [first, ...others] = valuesOf(given).map((value) => fragment`(${conditions[value]})`);
  if (!first) return fragment``;
  return fragment`and (${others.reduce((all, one) => fragment`${all} or ${one}`, first)})`;
}

/** Returns the types of a filter, which a request can send as `type` or as `types`. Throws if it sends both. */
export function typesOf<Value>({
  type,
  types,
}: {
  readonly type?: OneOrMore<Value> | undefined;
  readonly types?: OneOrMore<Value> | undefined;
}): OneOrMore<Value> | undefined {
  if (type === undefined || types === undefined) return type ?? types;
  throw new ApiError(
    "parameters_exclusive",
    "Send either `type` or `types`. Got both, but they are two names of the same filter.",
    { param: "types" },
  );
}

/** Returns the page that holds only the object with this id, so that a list query can read a single object. */
export function pageOfOne(id: Id<string>): Page {
  const uuid = uuidOf(id);
  return { limit: 1, below: next(uuid), from: uuid, upwards: false };
}

function cursor(prefix: string, text: string, param: string): string {
  const id = parseId(prefix, text);
  if (id) return uuidOf(id);
  throw new ApiError(
    "cursor_invalid",
    `\`${param}\` must be an ID that begins with \`${prefix}_\`. Got '${maskSecrets(text.slice(0, 100))}'.`,
    { param },
  );
}

function secondStart(seconds: number): string {
  return firstUuidAt(new Date(seconds * 1000));
}

/** Returns the next uuid. Returns the highest uuid unchanged. */
export function next(uuid: string): string {
  if (uuid === highest) return highest;
  const number = (BigInt(`0x${uuid.replaceAll("-", "")}`) + 1n).toString(16).padStart(32, "0");
  return number.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Returns the end of a list's statement, which reads one row beyond the limit to find out whether there are more. */
export function pageRows({ limit, below, from, upwards }: Page): Fragment {
  return upwards
    ? fragment`and id < ${below} and id >= ${from} order by id asc limit ${limit + 1}`
    : fragment`and id < ${below} and id >= ${from} order by id desc limit ${limit + 1}`;
}

/** Converts the rows of `pageRows` to the API's list, newest first. */
export function listPage<Row, Item>(
  rows: readonly Row[],
  page: Page,
  url: string,
  toObject: (row: Row) => Item,
): ListPage<Item> {
  const data = rows.slice(0, page.limit).map(toObject);
  if (page.upwards) data.reverse();
  return { object: "list", url, has_more: rows.length > page.limit, data };
}

/** An object as JSON, in characters or encoded in UTF-8. */
export type ObjectText = string | Uint8Array;

/** Returns the API's list of objects that are already JSON, in the order of `listPage`. */
export function listBytes(objects: readonly ObjectText[], page: Page, url: string): BodyBytes {
  const count = Math.min(objects.length, page.limit);
  const hasMore = objects.length > page.limit;
  return bodyBuffers.write((body) => {
    body.text(`{"object":"list","url":${JSON.stringify(url)},"has_more":${hasMore},"data":[`);
    for (let index = 0; index < count; index++) {
      if (index > 0) body.byte(comma);
      const object = objects[page.upwards ? count - 1 - index : index] as ObjectText;
      if (typeof object === "string") body.text(object);
      else body.copy(object);
    }
    body.text("]}");
  });
}

const comma = 0x2c;
