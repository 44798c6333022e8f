import { column } from "../../platform/database/array-literal.ts";
import {
  type ArrayParameter,
  bigints,
  booleans,
  byteas,
  integers,
  jsons,
  smallints,
  texts,
  timestamps,
  uuids,
} from "../../platform/database/array-parameter.ts";
import { Fragment } from "../../platform/database/sql.ts";

/** The TypeScript type of each column type. */
type Values = {
  readonly uuid: string;
  readonly text: string;
  readonly jsonb: object;
  readonly boolean: boolean;
  readonly smallint: number;
  readonly integer: number;
  readonly bigint: number;
  readonly timestamptz: Date;
  readonly bytea: Buffer;
  /** A date such as `2026-01-31`. */
  readonly date: string;
  readonly "text[]": readonly string[];
};

/**
 * The columns that a statement writes, with their types. The parameters, the column list of an insert and the
 * assignments of an update are all derived from this object, so that they cannot differ.
 */
export type Columns = Readonly<Record<string, keyof Values>>;

/** A row with a value or null for each column. */
export type RowOf<Of extends Columns> = { readonly [Name in keyof Of]: Values[Of[Name]] | null };

/** The columns that a statement inserts, each with its type and the function that returns its value for an item. */
export type ColumnsWithValues<Item> = Readonly<Record<string, ColumnWithValue<Item>>>;

type ColumnWithValue<Item> = {
  readonly [Type in keyof Values]: readonly [
    type: Type,
    value: (item: Item) => Values[Type] | null | undefined,
  ];
}[keyof Values];

type AnyRow = Readonly<Record<string, unknown>>;

type ArrayOf<Value> = <Item>(
  items: readonly Item[],
  value: (item: Item) => Value | null | undefined,
) => ArrayParameter;

const arrays: { readonly [Type in keyof Values]: ArrayOf<Values[Type]> } = {
  uuid: uuids,
  text: texts,
  jsonb: jsons,
  boolean: booleans,
  smallint: smallints,
  integer: integers,
  bigint: bigints,
  timestamptz: timestamps,
  bytea: byteas,
  date: texts,
  // Encoded as array literals, because Postgres has no nested arrays of different lengths.
  "text[]": (items, value) =>
    texts(items, (item) => {
      const list = value(item);
      return list && column(list, (text) => text);
    }),
};

/** Returns one array parameter per column for `rowsOf`. The values of an item without a row are null. */
export function parametersOf<Item>(
  columns: Columns,
  items: readonly Item[],
  rowOf: (item: Item) => AnyRow | null | undefined,
  prefix = "",
): Record<string, ArrayParameter> {
  const parameters: Record<string, ArrayParameter> = {};
  for (const [name, type] of Object.entries(columns)) {
    const arrayOf = arrays[type] as ArrayOf<unknown>;
    parameters[`${prefix}${name}`] = arrayOf(items, (item) => rowOf(item)?.[name]);
  }
  return parameters;
}

/** Returns one array parameter per column for `rowsOf`. */
export function parametersFrom<Item>(
  columns: ColumnsWithValues<Item>,
  items: readonly Item[],
): Record<string, ArrayParameter> {
  const parameters: Record<string, ArrayParameter> = {};
  for (const [name, [type, value]] of Object.entries(columns)) {
    const arrayOf = arrays[type] as ArrayOf<unknown>;
    parameters[name] = arrayOf(items, value);
  }
  return parameters;
}

/** Caches the results of `filledColumns`, keyed by the columns and then by the names of the omitted columns. */
const withoutEmpty = new WeakMap<object, Map<string, object>>();

/**
 * Returns the columns without the sparse ones that are null for every item. Calls with equal results return the same
 * object.
 */
export function filledColumns<Item, Column>(
  columns: Readonly<Record<string, Column>>,
  sparse: readonly string[],
  items: readonly Item[],
  cellOf: (item: Item, name: string) => unknown,
): Readonly<Record<string, Column>> {
  let empty = "";
  for (const name of sparse) {
    if (!items.some((item) => (cellOf(item, name) ?? null) !== null)) empty += `${name} `;
  }
  if (empty === "") return columns;
  const known = withoutEmpty.get(columns) ?? new Map<string, object>();
  withoutEmpty.set(columns, known);
  let filled = known.get(empty) as Readonly<Record<string, Column>> | undefined;
  if (!filled) {
    const omitted = empty.split(" ");
    filled = Object.fromEntries(
      Object.entries(columns).filter(([name]) => !omitted.includes(name)),
    );
    known.set(empty, filled);
  }
  return filled;
}

/** Returns the types of the columns. */
export function typesOf<Item>(columns: ColumnsWithValues<Item>): Columns {
  return Object.fromEntries(Object.entries(columns).map(([name, [type]]) => [name, type]));
}

/** Returns the column list of an insert, such as `status, amount`. */
export function named(columns: Columns): Fragment {
  return constant(Object.keys(columns).join(", "));
}

/** The casts of the column types that are sent as text. */
const casts: Partial<Record<keyof Values, string>> = { date: "::date", "text[]": "::text[]" };

/** Returns the values of an insert, such as `i.status, i.amount`. */
export function selected(columns: Columns, from: string): Fragment {
  const values = Object.entries(columns).map(
    ([name, type]) => `${from}${name}${casts[type] ?? ""}`,
  );
  return constant(values.join(", "));
}

/**
 * Returns the assignments of an update, such as `status = i.status, amount = i.amount`. Columns that are not in
 * `filled` are set to null. A column in `kept` keeps the value of the row `t` where the new one is null.
 */
export function assigned(
  columns: Columns,
  from: string,
  filled = columns,
  kept: readonly string[] = [],
): Fragment {
  const assignments = Object.keys(columns).flatMap((name) => {
    const isFilled = name in filled;
    if (!kept.includes(name)) return `${name} = ${isFilled ? `${from}${name}` : "null"}`;
    return isFilled ? `${name} = coalesce(${from}${name}, t.${name})` : [];
  });
  return constant(assignments.join(", "));
}

/**
 * Returns a fragment without parameters. To prevent SQL injection, `text` must consist only of names from this
 * repository.
 */
export function constant(text: string): Fragment {
  return new Fragment([text], []);
}
