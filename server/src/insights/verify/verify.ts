import type { Database } from "../../platform/database/database.ts";
import { bindTag, type Sql } from "../../platform/database/sql.ts";
import { copyChangedRows, createCopies, readCopies } from "./changed-rows.sql.ts";
import { type Check, type CheckOptions, needsAllRows } from "./check.ts";
import { type CheckName, checks } from "./checks.ts";
import { type Census, countAll, countOpenQuestions, type OpenQuestions } from "./row-counts.sql.ts";

/** The result of all checks. */
export type Report = {
  readonly results: readonly CheckResult[];
  /** The time since which rows were examined. Null if all rows were examined. */
  readonly since: Date | null;
  /** The checks that need all rows, and did not run because of `since`. */
  readonly omitted: readonly CheckName[];
  /** Charges without an outcome. They are not violations while their inquiries continue. */
  readonly open: OpenQuestions;
  readonly violations: number;
  readonly durationMs: number;
};

export type CheckResult = {
  readonly name: CheckName;
  readonly invariant: string;
  readonly examined: number;
  readonly violations: number;
  /** A sentence for each of the first violations, with the ID of the object. */
  readonly sentences: readonly string[];
  readonly durationMs: number;
};

export const defaultOptions: CheckOptions = {
  // Twice the longest lease. Work that is overdue for longer is claimed by no worker.
  stuckAfterMs: 2 * 60_000,
  endpointsNeverChanged: false,
  cards: false,
  audit: null,
  since: null,
  acknowledged: [],
};

/**
 * Runs every check in one read-only snapshot, so that the result is correct on a live system: the snapshot contains
 * each transaction completely or not at all.
 */
export async function verify(
  database: Database,
  overrides: Partial<CheckOptions> = {},
): Promise<Report> {
  const options = { ...defaultOptions, audit: database.audit, ...overrides };
  const startedAt = performance.now();
  const client = await database.connect(session);
  try {
    const { since } = options;
    // A read-only transaction can fill temporary tables, but cannot create them.
    if (since) await createCopies(bindTag(client));
    await client.query("begin transaction isolation level repeatable read, read only");
    if (since) await copyChangedRows(bindTag(client), { ...options, since });
    const read = since ? readCopies(bindTag(client)) : bindTag(client);
    const census: Census = {
      ...(await countAll(read)),
      acknowledged: options.acknowledged.length,
    };
    const results: CheckResult[] = [];
    for (const check of checks) {
      if (applies(check, options)) results.push(await examine(check, read, census, options));
    }
    return {
      results,
      since,
      omitted: checks.flatMap((check) =>
        "applies" in check && check.applies === needsAllRows && since ? [check.name] : [],
      ),
      open: await countOpenQuestions(read),
      violations: results.reduce((sum, { violations }) => sum + violations, 0),
      durationMs: performance.now() - startedAt,
    };
  } finally {
    await client.end();
  }
}

/**
 * Session settings for joining whole tables. More memory avoids temporary files. Nested loops and merge joins are
 * disabled, because they would take hours. Postgres chooses nested loops for tables with missing or old statistics, and
 * a merge join by account alone to avoid a sort. With a million charges and a busy machine, a check takes longer than
 * the time limit of other statements.
 */
const session = {
  statement_timeout: "1h",
  work_mem: "128MB",
  enable_nestloop: "off",
  enable_mergejoin: "off",
};

function applies(check: Check, options: CheckOptions): boolean {
  return check.applies?.(options) ?? true;
}

async function examine(
  check: Check & { name: CheckName },
  read: Sql,
  census: Census,
  options: CheckOptions,
): Promise<CheckResult> {
  const startedAt = performance.now();
  const { total, sentences } = await check.find(read, options);
  return {
    name: check.name,
    invariant: check.invariant,
    examined: census[check.counts],
    violations: total,
    sentences,
    durationMs: performance.now() - startedAt,
  };
}
