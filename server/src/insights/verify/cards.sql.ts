import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { findStoredCardData, securityCodePrefilter } from "../../core/card-data.ts";
import { cardNumberPrefilter } from "../../core/card-number-in-text.ts";
import { Fragment, fragment, type Sql } from "../../platform/database/sql.ts";
import type { Found } from "./check.ts";

/**
 * Finds unencrypted card numbers and security codes in any text column of any table, including tables of later schema
 * versions. Postgres selects candidate rows, and the module that checks requests for card data examines them. Tables
 * are read in parts of a few megabytes, in the order of their blocks. `throttle` is called after each part with its
 * duration, so that the caller can limit the load. If `read` is not a transaction, a row that is updated while its
 * table is read can move to a block that was already read. The next search finds that row.
 */
export async function findCardsOutsideTheVault(
  read: Sql,
  throttle: (partMs: number) => Promise<unknown> = async () => undefined,
): Promise<Found & { readonly tables: number }> {
  const sentences: string[] = [];
  let total = 0;
  const tables = await listTextColumns(read);
  for (const table of tables) {
    for (let block = 0; block < table.blocks; block += blocksPerPart) {
      const startedAt = performance.now();
      const candidates = await readCandidates(read, table, block);
      let yielded = performance.now();
      for (const { place, column, text } of candidates) {
        if (performance.now() - yielded > maxBlockMs) {
          await turnOfTheLoop();
          yielded = performance.now();
        }
        const found = findStoredCardData(text);
        if (!found) continue;
        total++;
        if (sentences.length < maxSentences) {
          sentences.push(
            `${table.schema}.${table.table}.${column} at ${place} contains ${found.what}.`,
          );
        }
      }
      await throttle(performance.now() - startedAt);
    }
  }
  return { total, sentences, tables: tables.length };
}

/** The number of blocks per part: four megabytes, which take some tens of milliseconds. */
const blocksPerPart = 512;

/**
 * The maximum time for examining candidates without yielding to the event loop, which serves every request of the
 * process.
 */
const maxBlockMs = 10;

/** The maximum number of violations that are described. Further violations are only counted. */
const maxSentences = 100;

type TextColumns = { schema: string; table: string; columns: string[]; blocks: number };

function listTextColumns(read: Sql): Promise<TextColumns[]> {
  return read<TextColumns>`
    select n.nspname::text as schema, t.relname::text as table, array_agg(a.attname::text order by a.attnum) as columns,
           (pg_relation_size(t.oid) / current_setting('block_size')::int)::int as blocks
      from pg_class t
      join pg_namespace n on n.oid = t.relnamespace
      join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
     where t.relkind = 'r' and n.nspname in ('public', 'simulator')
       and a.atttypid in ('text'::regtype, 'varchar'::regtype, 'json'::regtype, 'jsonb'::regtype, 'text[]'::regtype)
     group by n.nspname, t.oid, t.relname
     order by 1, 2
  `;
}

type Candidate = { place: string; column: string; text: string };

function readCandidates(
  read: Sql,
  { schema, table, columns }: TextColumns,
  block: number,
): Promise<Candidate[]> {
  const [escapes, manyDigits] = cardNumberPrefilter.escapes;
  const values = columns
    .map((column) => `(${literal(column)}, ${quoted("row", column)}::text)`)
    .join(", ");
  return read<Candidate>`
    select ${raw(quoted("row", "ctid"))}::text as place, value.name as column, value.text
      from ${raw(quoted(schema, table))} as "row"
     cross join lateral (values ${raw(values)}) as value (name, text)
     where ${raw(quoted("row", "ctid"))} >= ${`(${block},0)`}::tid
       and ${raw(quoted("row", "ctid"))} < ${`(${block + blocksPerPart},0)`}::tid
       and (value.text ~ ${cardNumberPrefilter.digits}
            or value.text ~* ${securityCodePrefilter}
            or (value.text ~ ${escapes} and value.text ~ ${manyDigits}))
  `;
}

function quoted(...parts: string[]): string {
  return parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(".");
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Returns a fragment of literal SQL. The text must contain only quoted names from the catalog. */
function raw(text: string): Fragment {
  return new Fragment(Object.assign([text], { raw: [text] }), fragment``.values);
}
