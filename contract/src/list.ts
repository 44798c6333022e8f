import Type, { type Static, type TSchema } from "typebox";
import { maxAmount } from "./currency.ts";

/** The list envelope: newest first by default, with keyset pagination. */
export function ListOf<Schema extends TSchema>(schema: Schema, url: string) {
  return Type.Object(
    {
      object: Type.Literal("list", { description: "Always `list`." }),
      url: Type.String({ description: `The path of this list: \`${url}\`.`, examples: [url] }),
      has_more: Type.Boolean({ description: "True if there are more objects beyond this page." }),
      data: Type.Array(schema, { description: "The objects, newest first by default." }),
    },
    { description: "One page of a list." },
  );
}

/** One page of a list, as a type for the code that builds the page. */
export type ListPage<Item> = { object: "list"; url: string; has_more: boolean; data: Item[] };

export const maxPageSize = 100;
export const defaultPage = 10;

/** The end of the year 9999 in Unix seconds. */
export const latestMoment = 253_402_300_799;

/** One or several values of a filter. */
export type OneOrMore<Value> = Value | readonly Value[];

/** A filter by one or several values. A query separates the values by commas: `status=failed,canceled`. */
export function oneOrMore<const Value extends string>(
  values: readonly Value[],
  description: string,
) {
  return Type.Optional(
    Type.Unsafe<OneOrMore<Value>>(
      Type.Array(Type.Enum([...values]), {
        minItems: 1,
        maxItems: values.length,
        "x-florin": "query",
        description: `${description} Separate multiple values with commas.`,
      }),
    ),
  );
}

type Bounds = {
  readonly gt?: number;
  readonly gte?: number;
  readonly lt?: number;
  readonly lte?: number;
};

/** A filter by a number: `amount=1000` for exactly this number, `amount[gte]=1000` for a bound. */
function boundsOf(
  maximum: number,
  descriptions: Readonly<Record<keyof Bounds, string>>,
  description: string,
) {
  const bound = (name: keyof Bounds) =>
    Type.Optional(Type.Integer({ minimum: 0, maximum, description: descriptions[name] }));
  return Type.Optional(
    Type.Unsafe<number | Bounds>(
      Type.Object(
        { gt: bound("gt"), gte: bound("gte"), lt: bound("lt"), lte: bound("lte") },
        { additionalProperties: false, "x-florin": "query", description },
      ),
    ),
  );
}

/** A filter by an amount. */
export function amountFilter() {
  return boundsOf(
    maxAmount,
    {
      gt: "Lower bound, exclusive.",
      gte: "Lower bound, inclusive.",
      lt: "Upper bound, exclusive.",
      lte: "Upper bound, inclusive.",
    },
    "Amount in the smallest unit of the currency, exact (`amount=1000`) or within bounds (`amount[gte]=1000`).",
  );
}

/** The parameters of every list: page size, cursor and time range. */
const pageParameters = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxPageSize,
      default: defaultPage,
      description: "Maximum number of objects in the response.",
    }),
  ),
  starting_after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        "Cursor: ID of the last object of the previous page. The list continues after the object's position, even if the object is deleted.",
    }),
  ),
  ending_before: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        "Cursor: ID of the first object of the next page. The list ends before the object's position, even if the object is deleted.",
    }),
  ),
  created: boundsOf(
    latestMoment,
    {
      gt: "Lower bound, exclusive.",
      gte: "Lower bound, inclusive.",
      lt: "Upper bound, exclusive.",
      lte: "Upper bound, inclusive.",
    },
    "Time of creation in Unix seconds, exact (`created=1767225600`) or within bounds (`created[gte]=1767225600`).",
  ),
};

/** The number of objects that match the filters of a list. */
export const Count = Type.Object(
  {
    object: Type.Literal("count", { description: "Always `count`." }),
    count: Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: "Number of matching objects.",
    }),
    exact: Type.Boolean({
      description:
        "True if `count` is the exact number. False if the service stopped counting, so that there may be more.",
    }),
  },
  { description: "The number of objects that match the filters of a list." },
);
export type Count = Static<typeof Count>;

/** The query of a download. The download includes everything that matches the filters. */
export function downloadQuery<Filters extends Record<string, TSchema>>(filters: Filters) {
  const { created } = pageParameters;
  return Type.Object({ ...filters, created }, { additionalProperties: false });
}

/** The query of a list with the filters of its resource. */
export function listQuery<Filters extends Record<string, TSchema>>(filters: Filters) {
  return Type.Object({ ...filters, ...pageParameters }, { additionalProperties: false });
}

export const PageQuery = listQuery({});
export type PageQuery = Static<typeof PageQuery>;
