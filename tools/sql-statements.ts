import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isTest, readSources, root, withoutComments } from "./source-tree.ts";

const migrations = join(root, "server/src/platform/database/migrations");

/** The text of all migrations, without comments. */
export const schema = readdirSync(migrations)
  .map((file) => readFileSync(join(migrations, file), "utf8"))
  .join("\n")
  .replaceAll(/--.*/g, "");

/** The tables of the schema, each with the text of its columns and constraints. */
export const tables: ReadonlyMap<string, string> = new Map(
  [...schema.matchAll(/^create table (\S+) \(([\s\S]*?)^\)/gm)].map(
    ([, name = "", columns = ""]) => [name, columns],
  ),
);

/** The tables with rows of merchants, which have the column `account_id` or, in the simulator, `merchant`. */
export const merchantTables: ReadonlySet<string> = new Set(
  [...tables].flatMap(([name, columns]) =>
    /^\s+(account_id|merchant)\s/m.test(columns) ? name : [],
  ),
);

/** A template literal of the service or the simulator. Most of these are SQL statements or fragments of statements. */
export type Statement = {
  /** The file and the function, such as `payments/charges/charge.sql.ts readCharge`. */
  readonly place: string;
  readonly text: string;
};

/** Returns every template literal of the service and the simulator. */
export function readStatements(): Statement[] {
  return readSources()
    .filter(({ path }) => /^(?:server|simulator)\/src\//.test(path) && !isTest(path))
    .flatMap((source) => {
      const code = withoutComments(source);
      const declared = [...code.matchAll(/^(?:export )?(?:async )?(?:function|const) (\w+)/gm)];
      return [...templatesIn(code)].map(({ at, text }) => {
        const name = declared.findLast(({ index }) => index < at)?.[1];
        return { place: `${source.path.replace("server/src/", "")} ${name}`, text };
      });
    });
}

/** Yields the templates of a file, each with the templates nested in it. */
export function* templatesIn(
  code: string,
): Generator<{ readonly at: number; readonly text: string }> {
  for (let at = code.indexOf("`"); at >= 0; ) {
    const end = endOfTemplate(code, at);
    yield { at, text: code.slice(at, end) };
    at = code.indexOf("`", end);
  }
}

function endOfTemplate(code: string, start: number): number {
  let at = start + 1;
  while (at < code.length && code[at] !== "`") {
    at = code.startsWith("${", at) ? endOfInterpolation(code, at + 2) : at + 1;
  }
  return at + 1;
}

function endOfInterpolation(code: string, start: number): number {
  let open = 1;
  let at = start;
  while (at < code.length && open > 0) {
    if (code[at] === "{") open++;
    if (code[at] === "}") open--;
    at = code[at] === "`" ? endOfTemplate(code, at) : at + 1;
  }
  return at;
}
