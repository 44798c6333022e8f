import { createHash } from "node:crypto";
import type pg from "pg";
import type { RowText } from "./row-text.ts";

/**
 * Runs one statement, written as a tagged template. Interpolated values become parameters, never text of the statement.
 * The text of a frequent statement can be built once and passed instead of the template (`batch-statement.ts`).
 */
export type Sql = <Row extends object>(
  strings: TemplateStringsArray | StatementText,
  ...values: readonly unknown[]
) => Promise<Row[]>;

/** Returns a tag that runs one statement and converts each row from its text (`row-text.ts`). */
export type RowSql = <Result>(
  convert: (row: RowText) => Result,
) => (strings: TemplateStringsArray, ...values: readonly unknown[]) => Promise<Result[]>;

declare const insideTransaction: unique symbol;

/** Runs statements in an open transaction. Functions that write take a `Tx`, so no write runs outside a transaction. */
export type Tx = Sql & {
  readonly [insideTransaction]: true;
  readonly audit: AuditContext;
  /** Runs `work` after the transaction has committed. Does not run it after a rollback. */
  afterCommit(work: () => void): void;
};

/**
 * Authenticates audit entries and copies them to the log stream. Every transaction has this context, so that no code
 * can write an entry without its authentication code and its copy.
 */
export type AuditContext = {
  /** Returns the HMAC-SHA-256 of the message with a key that is not in the database. */
  mac(message: string): Promise<Buffer>;
  /** Writes a committed entry to the log stream. */
  copy(entry: Readonly<Record<string, unknown>>): void;
};

type Queryable = Pick<pg.ClientBase, "query">;

/** A part of a statement with its own parameters, for statements that differ in one part. */
export class Fragment {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }
}

export function fragment(strings: TemplateStringsArray, ...values: readonly unknown[]): Fragment {
  return new Fragment(strings, values);
}

/** The text of a statement, with placeholders for its parameters, and the name under which it is prepared. */
export type StatementText = { readonly name: string; readonly text: string };

/** A statement to send. */
export type Statement = StatementText & { readonly values: unknown[] };

/** Returns the statement that consists of this fragment. */
export function statementOf({ strings, values }: Fragment): Statement {
  const parameters: unknown[] = [];
  const text = flatten(strings, values, parameters);
  return { name: nameOf(text), text, values: parameters };
}

export function bindTag(queryable: Queryable): Sql {
  return tagOf(async (statement) => (await queryable.query(statement)).rows);
}

/** Returns a tag that executes its statements with `run`. */
export function tagOf(run: (statement: Statement) => Promise<object[]>): Sql {
  return async <Row extends object>(
    strings: TemplateStringsArray | StatementText,
    ...values: unknown[]
  ): Promise<Row[]> => {
    const statement =
      "text" in strings
        ? { name: strings.name, text: strings.text, values }
        : statementOf(new Fragment(strings, values));
    return (await traced(run(statement))) as Row[];
  };
}

/** Returns a function whose tags execute their statements with `run`. */
export function rowTagOf(
  run: <Result>(statement: Statement, convert: (row: RowText) => Result) => Promise<Result[]>,
): RowSql {
  return (convert) =>
    (strings, ...values) =>
      traced(run(statementOf(new Fragment(strings, values)), convert));
}

async function traced<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    // The original stack begins at the socket. The new stack contains the caller.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

function flatten(
  strings: readonly string[],
  values: readonly unknown[],
  parameters: unknown[],
): string {
  let text = strings[0] as string;
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (value instanceof Fragment) {
      text += flatten(value.strings, value.values, parameters);
    } else {
      parameters.push(value);
      text += `$${parameters.length}`;
    }
    text += strings[index + 1];
  }
  return text;
}

/**
 * The name of each statement's text. Prepared statements are identified by name, so equal texts share one plan on each
 * connection.
 */
const names = new Map<string, string>();

function nameOf(text: string): string {
  const known = names.get(text);
  if (known) return known;
  const name = createHash("sha256").update(text).digest("base64url").slice(0, 32);
  names.set(text, name);
  return name;
}

/** Returns whether Postgres rejected a row because of this constraint or unique index. */
export function violates(error: unknown, constraint: string): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "constraint" in error &&
    error.constraint === constraint
  );
}
