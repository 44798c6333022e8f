import Type, { type Static, type TSchema } from "typebox";

/** The list envelope (contract §2): newest first, cut by key and never by offset. */
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

/** A moment in unix seconds, up to the year 9999. */
const moment = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 253_402_300_799, description }));

/** What every list can be asked: how much, from where, and from which time. */
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
  created: Type.Optional(
    Type.Object(
      {
        gt: moment("Created after this moment."),
        gte: moment("Created at or after this moment."),
        lt: moment("Created before this moment."),
        lte: moment("Created at or before this moment."),
      },
      {
        additionalProperties: false,
        "x-florin": "query",
        description: "Bounds of the time of creation, in unix seconds: `created[gte]=1767225600`.",
      },
    ),
  ),
};

/** The query of a download: everything that the filters leave, from whichever time. */
export function downloadQuery<Filters extends Record<string, TSchema>>(filters: Filters) {
  const { created } = pageParameters;
  return Type.Object({ ...filters, created }, { additionalProperties: false });
}

/** The query of a list with the filters of its noun. */
export function listQuery<Filters extends Record<string, TSchema>>(filters: Filters) {
  return Type.Object({ ...filters, ...pageParameters }, { additionalProperties: false });
}

export const PageQuery = listQuery({});
export type PageQuery = Static<typeof PageQuery>;
