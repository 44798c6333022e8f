import { Fragment, fragment, type Sql } from "../database/sql.ts";
import { cardShape, codeShape, findCardLike } from "./card-like.ts";
import { type Found, tell } from "./check.ts";

/**
 * No card number and no security code stands in clear in any column of any table. Postgres sifts the rows by
 * shape, and what is left is judged here. It reads everything, so it is the one slow check.
 */
export async function findCardsOutsideTheVault(read: Sql): Promise<Found> {
  const found: string[] = [];
  for (const { schema, table, columns } of await listTextColumns(read)) {
    for (const column of columns) {
      found.push(...(await findInColumn(read, name(schema, table), name(column))));
    }
  }
  const rows = found.map((sentence) => ({ total: found.length, sentence }));
  return tell(rows, ({ sentence }) => sentence);
}

type TextColumns = { schema: string; table: string; columns: string[] };

/** Every column that can hold a text of a caller's: also in tables that were added after this was written. */
function listTextColumns(read: Sql): Promise<TextColumns[]> {
  return read<TextColumns>`
    select n.nspname::text as schema, t.relname::text as table, array_agg(a.attname::text order by a.attnum) as columns
      from pg_class t
      join pg_namespace n on n.oid = t.relnamespace
      join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
     where t.relkind in ('r', 'p') and n.nspname in ('public', 'simulator')
       and a.atttypid in ('text'::regtype, 'varchar'::regtype, 'json'::regtype, 'jsonb'::regtype, 'text[]'::regtype)
     group by n.nspname, t.relname
     order by 1, 2
  `;
}

/**
 * Candidates that are read at once. Not a limit on all of them: merchants' own numbers, such as times in
 * milliseconds, have the shape of a card number, and any number of them must not hide the one that is a card's.
 */
const candidatesAtOnce = 1_000;

async function findInColumn(read: Sql, table: Fragment, column: Fragment): Promise<string[]> {
  const found: string[] = [];
  for (let after = "(0,0)"; ; ) {
    const rows = await read<{ place: string; text: string }>`
      select place::text, text
        from (select ctid as place, ${column}::text as text from ${table}) row
       where place > ${after}::tid and (text ~ ${cardShape} or text ~ ${codeShape})
       order by place
       limit ${candidatesAtOnce}
    `;
    for (const { place, text } of rows) {
      const what = findCardLike(text);
      if (what) found.push(`${table.strings[0]}.${column.strings[0]} at ${place} holds ${what}.`);
    }
    if (rows.length < candidatesAtOnce) return found;
    after = rows.at(-1)?.place as string;
  }
}

/** A name from the catalogue, quoted. */
function name(...parts: string[]): Fragment {
  const text = parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(".");
  return new Fragment(Object.assign([text], { raw: [text] }), fragment``.values);
}
