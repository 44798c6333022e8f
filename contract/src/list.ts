import Type, { type Static, type TSchema } from "typebox";
import { maxAmount } from "./currency.ts";

/** The list envelope: newest first, with keyset pagination. */
export function ListOf<Schema extends TSchema>(schema: Schema, url: string) {
  return Type.Object(
    {
      object: Type.Literal("list", { description: "Always `list`." }),
      url: Type.String({ description: `The path of this list: \`${url}\`.`, examples: [url] }),
      has_more: Type.Boolean({ description: "Whether there is more beyond this page." }),
      data: Type.Array(schema, { description: "The objects, newest first." }),
    },
    { description: "One page of a list." },
  );
}

/** One page of a list, for code that builds it. */
export type ListPage<Item> = { object: "list"; url: string; has_more: boolean; data: Item[] };

export const largestPage = 100;
export const defaultPage = 10;

/** The end of the year 9999 in Unix seconds. */
const latestMoment = 253_402_300_799;

/** One or several values of a filter. */
export type OneOrMore<Value> = Value | readonly Value[];

/** A filter by one or several values, which the query separates by commas: `status=failed,canceled`. */
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
        description: `${description} Separate several by commas.`,
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

/** A filter by a number: `amount=1000` for exactly this one, `amount[gte]=1000` for a bound. */
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
    { gt: "More than this.", gte: "This or more.", lt: "Less than this.", lte: "This or less." },
    "The amount in the smallest unit of the currency, exactly (`amount=1000`) or by bounds (`amount[gte]=1000`).",
  );
}

/** The parameters of every list: page size, cursor and time range. */
const pageParameters = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: largestPage,
      default: defaultPage,
      description: "How many objects to answer with.",
    }),
  ),
  starting_after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        "The id of the last object of the page before: the list goes on below its place, also when it is gone.",
    }),
  ),
  ending_before: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        "The id of the first object of the page after: the list ends above its place, also when it is gone.",
    }),
  ),
  created: boundsOf(
    latestMoment,
    {
      gt: "Created after this moment.",
      gte: "Created at or after this moment.",
      lt: "Created before this moment.",
      lte: "Created at or before this moment.",
    },
    "The time of creation in unix seconds, exactly (`created=1767225600`) or by bounds (`created[gte]=1767225600`).",
  ),
};

/** The query of a download, which includes everything that matches the filters. */
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
