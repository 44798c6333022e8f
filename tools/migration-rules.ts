import { modeOf, statementsOf } from "../server/src/platform/database/migrate.ts";

/**
 * Returns the violations of the rules for migrations that are applied while the previous version serves requests. The
 * rules match the text of single statements. `validated` contains the constraints that this migration or an earlier one
 * validated.
 */
export function violationsOf(name: string, sql: string, validated = new Set<string>()): string[] {
  const statements = statementsOf(sql);
  const mode = modeOf(sql);
  const created = new Set(
    statements.flatMap((statement) => {
      const [, table] = /^create table (?:if not exists )?([\w.]+)/i.exec(statement) ?? [];
      return table === undefined ? [] : [table];
    }),
  );
  const found: string[] = [];
  for (const statement of statements) {
    const [, constraint] = /validate constraint (\w+)/i.exec(statement) ?? [];
    if (constraint !== undefined) validated.add(constraint);
    const [, table] =
      /^(?:alter table (?:if exists )?(?:only )?|create (?:unique )?index[^(]*? on )([\w.]+)/i.exec(
        statement,
      ) ?? [];
    // No other session can use a table that the same transaction creates.
    if (table !== undefined && created.has(table)) continue;
    for (const rule of rules) {
      if (!rule.matches(statement, { sql, mode, validated })) continue;
      const line = statement.replace(/\s+/g, " ").slice(0, 80);
      found.push(`${name}: ${rule.advice} (${line})`);
    }
  }
  return found;
}

type File = {
  readonly sql: string;
  readonly mode: ReturnType<typeof modeOf>;
  readonly validated: ReadonlySet<string>;
};

type Rule = {
  readonly matches: (statement: string, file: File) => boolean;
  readonly advice: string;
};

/**
 * A default that is a literal or a function. Postgres evaluates it once and stores the value, instead of rewriting the
 * table.
 */
const constantDefault =
  /\bdefault\s+('[^']*'(::\w+)?|-?[\d.]+|true|false|null|now\(\))(?=[\s,;)]|$)/i;

const rules: readonly Rule[] = [
  {
    matches: (text) => /^create (unique )?index (?!concurrently)/i.test(text),
    advice: "Build an index on an existing table with `create index concurrently if not exists`.",
  },
  {
    matches: (text) => /\bindex concurrently (?!if (not )?exists)/i.test(text),
    advice: "Write `if not exists` or `if exists`, because a crash can repeat the statement.",
  },
  {
    matches: (text, { mode }) => /\bconcurrently\b/i.test(text) && mode !== "statements",
    advice: "`concurrently` needs the first line `-- florin: statements`.",
  },
  {
    matches: (text) =>
      /\badd (constraint \w+ )?(check|foreign key)\b/i.test(text) && !/\bnot valid\b/i.test(text),
    advice: "Add the constraint as `not valid`, and validate it in a later migration.",
  },
  {
    matches: (text) =>
      /\badd (constraint \w+ )?(unique|primary key|exclude)\b/i.test(text) &&
      !/\busing index\b/i.test(text),
    advice: "Build the index concurrently, and add the constraint with `using index`.",
  },
  {
    matches: (text, { mode }) => /\bvalidate constraint\b/i.test(text) && mode !== "statements",
    advice:
      "Validate a constraint in a migration with `-- florin: statements`, so that no lock is kept.",
  },
  {
    matches: (text) =>
      /\badd (column )?[^,]*\breferences\b/i.test(text) && !/\badd constraint\b/i.test(text),
    advice: "Add the foreign key separately as `not valid`.",
  },
  {
    matches: (text) =>
      /\badd (?!constraint|check|foreign|unique|primary|exclude)/i.test(text) &&
      (/\b(check|unique|primary key|generated)\b/i.test(text) ||
        (/\bdefault\b/i.test(text) && !constantDefault.test(text))),
    advice: "A new column may have only a constant default. Add checks separately as `not valid`.",
  },
  {
    matches: (text) =>
      /\badd (column )?(?!constraint)[^,]*\bnot null\b/i.test(text) && !/\bdefault\b/i.test(text),
    advice:
      "The previous version inserts rows without the new column. Give it a default or allow null.",
  },
  {
    matches: (text, { validated }) => {
      const [, table = "", column = ""] =
        /^alter table (?:only )?(?:\w+\.)?(\w+)\s[\s\S]*?alter (?:column )?(\w+) set not null/i.exec(
          text,
        ) ?? [];
      return column !== "" && !validated.has(`${table}_${column}_not_null`);
    },
    advice:
      "Before `set not null`, add and validate the check `<table>_<column>_not_null`. Postgres then scans no row.",
  },
  {
    matches: (text) => /\balter (column )?\w+ (set data )?type\b/i.test(text),
    advice:
      "Add a new column and backfill it instead of changing the type, which rewrites the table.",
  },
  {
    matches: (text, { sql }) =>
      /\bdrop (column|table|constraint|view|function)\b|^drop (table|type|domain)\b/i.test(text) &&
      !/^-- unused since: \d+\.\d+\.\d+$/m.test(sql),
    advice:
      "The previous version may still use it. Drop it one version after the last use, with the line `-- unused since: 0.2.0`.",
  },
  {
    matches: (text) => /\brename (to|column|constraint)\b/i.test(text),
    advice: "The previous version uses the old name. Add a new column or table instead.",
  },
  {
    matches: (text, { mode }) => /^(update|delete|with)\b/i.test(text) && mode !== "backfill",
    advice: "Change rows in batches, in a migration with the first line `-- florin: backfill`.",
  },
  {
    matches: (text, { mode }) => mode === "backfill" && !/\blimit \d+/i.test(text),
    advice: "A batch of a backfill needs a `limit`.",
  },
  {
    matches: (text) => /^(lock|cluster|vacuum full|truncate|refresh materialized)\b/i.test(text),
    advice: "The statement locks out every request on the table.",
  },
  {
    matches: (text) => /^reindex (?!.*concurrently)/i.test(text),
    advice: "Use `reindex … concurrently`.",
  },
  {
    matches: (text) => /^alter domain \S+ add\b/i.test(text) && !/\bnot valid\b/i.test(text),
    advice: "Add the constraint of the domain as `not valid`.",
  },
];
