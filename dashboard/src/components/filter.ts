import { formatDate } from "./format-date.ts";
import { parseMoney } from "./parse-amount.ts";
import type { SelectOption } from "./select-option.ts";
import { statusLabel } from "./status-label.ts";
import { dayAt, startOfDay } from "./time-zone.ts";

/** The values of the filters in the URL's query, by name. */
type Values = Readonly<Record<string, string | undefined>>;

/** A filter of a list: its inputs, their values in the URL, and the resulting API query. */
export type Filter = {
  readonly label: string;
  readonly inputs: readonly Input[];
  /** Returns the text of the filter's pill, or null if the filter is not set. */
  readonly shown: (values: Values) => string | null;
  /** Returns frequent values of the filter, each of which is set with one press. */
  readonly presets?: () => readonly Preset[];
  /** Returns the API query parameters. */
  readonly query: (values: Values) => Readonly<Record<string, string>>;
};

type Preset = { readonly label: string; readonly values: Values };

export type Input = {
  /** The name of the input's value in the URL. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
} & (
  | {
      readonly kind: "text" | "date";
      readonly short?: boolean;
      /** Returns the error message for an invalid text, or null. */
      readonly fault?: (text: string) => string | null;
    }
  | {
      readonly kind: "choices";
      readonly choices: readonly SelectOption[];
      readonly single: boolean;
    }
);

/** A filter that matches an exact text. */
export function textFilter(
  name: string,
  label: string,
  hint?: string,
  fault?: (text: string) => string | null,
): Filter {
  return {
    label,
    inputs: [{ kind: "text", name, label, ...(hint && { hint }), ...(fault && { fault }) }],
    shown: (values) => values[name] ?? null,
    query: (values) => given({ [name]: values[name] }),
  };
}

/** A filter that matches any of the chosen values. With `single: true`, only one value can be chosen. */
export function choiceFilter(
  name: string,
  label: string,
  choices: readonly SelectOption[],
  { single = false } = {},
): Filter {
  const labels = new Map(choices);
  return {
    label,
    inputs: [{ kind: "choices", name, label, choices, single }],
    shown: (values) => {
      const chosen = values[name]?.split(",").map((value) => labels.get(value) ?? value);
      return chosen?.join(", ") ?? null;
    },
    query: (values) => given({ [name]: values[name] }),
  };
}

/** A filter that matches any of the chosen statuses, with the labels of the badges. */
export function statusFilter(statuses: readonly string[], options?: { single?: boolean }): Filter {
  const choices = statuses.map((status): SelectOption => [status, statusLabel(status)]);
  return choiceFilter("status", "Status", choices, options);
}

/** A filter for a range of days, both included, in the reader's time zone. */
export function daysFilter(name: string, label: string): Filter {
  const [from, to] = [`${name}_from`, `${name}_to`];
  return {
    label,
    inputs: [
      { kind: "date", name: from, label: "From" },
      { kind: "date", name: to, label: "To" },
    ],
    shown: (values) => between(dateText(values[from]), dateText(values[to])),
    presets: () =>
      datePresets(new Date()).map(([title, first, last]) => ({
        label: title,
        values: { [from]: first, [to]: last },
      })),
    query: (values) =>
      given({
        [`${name}[gte]`]: values[from] && midnight(values[from], 0),
        [`${name}[lt]`]: values[to] && midnight(values[to], 1),
      }),
  };
}

/** A filter for amounts in one currency. People enter amounts such as 19.99, and the API query contains minor units. */
export function amountFilter(name = "amount", label = "Amount"): Filter {
  const [from, to] = [`${name}_from`, `${name}_to`];
  const currencyOf = (values: Values) => values.currency?.trim().toLowerCase() ?? "usd";
  const minor = (values: Values, bound: string) => {
    const amount = parseMoney(values[bound] ?? "", currencyOf(values));
    return amount === null ? undefined : String(amount);
  };
  return {
    label,
    inputs: [
      { kind: "text", name: from, label: "At least", short: true },
      { kind: "text", name: to, label: "At most", short: true },
      {
        kind: "text",
        name: "currency",
        label: "Currency",
        hint: "Default: USD",
        short: true,
      },
    ],
    shown: (values) => {
      const range = between(values[from], values[to]);
      if (!range) return values.currency?.toUpperCase() ?? null;
      return `${range} ${currencyOf(values).toUpperCase()}`;
    },
    query: (values) =>
      given({
        [`${name}[gte]`]: minor(values, from),
        [`${name}[lte]`]: minor(values, to),
        currency: values[from] || values[to] || values.currency ? currencyOf(values) : undefined,
      }),
  };
}

/** A filter for a key of `metadata` and its value. */
export function metadataFilter(): Filter {
  return {
    label: "Metadata",
    inputs: [
      { kind: "text", name: "metadata_key", label: "Key" },
      { kind: "text", name: "metadata_value", label: "Value" },
    ],
    shown: ({ metadata_key: key, metadata_value: value }) =>
      key && value ? `${key} = ${value}` : null,
    query: ({ metadata_key: key, metadata_value: value }) =>
      key && value ? { [`metadata[${key}]`]: value } : {},
  };
}

/** Returns the API query of all filters of a list. */
export function queryOf(filters: readonly Filter[], values: Values): Record<string, string> {
  return Object.assign({}, ...filters.map(({ query }) => query(values)));
}

/** Returns the names of the filters' values in the URL. */
export function namesOf(filters: readonly Filter[]): string[] {
  return filters.flatMap(({ inputs }) => inputs.map(({ name }) => name));
}

function given(values: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
}

/** Returns periods that end today or earlier, in the account's or the reader's time zone. */
function datePresets(
  now: Date,
): readonly (readonly [label: string, first: string, last: string])[] {
  const [year = 0, month = 1, date = 1] = dayAt(now).split("-").map(Number);
  const day = (at: number) => dayText(new Date(year, month - 1, at));
  const today = day(date);
  return [
    ["Today", today, today],
    ["Yesterday", day(date - 1), day(date - 1)],
    ["Last 7 days", day(date - 6), today],
    ["Last 30 days", day(date - 29), today],
    ["This month", day(1), today],
    ["Last month", dayText(new Date(year, month - 2, 1)), day(0)],
  ];
}

/** Returns a day as the value of a date field. */
function dayText(date: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function dateText(day: string | undefined): string | undefined {
  return day && formatDate(day);
}

function between(from: string | undefined, to: string | undefined): string | null {
  if (from && to) return from === to ? from : `${from} – ${to}`;
  if (from) return `from ${from}`;
  return to ? `to ${to}` : null;
}

function midnight(day: string, later: number): string {
  return String(startOfDay(day, later));
}
