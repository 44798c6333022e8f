import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { conformanceMutants } from "../conformance/conformance-mutants.ts";
import { modelMutants } from "./model/model-mutants.ts";
import { mutants } from "./mutants.ts";
import { namesOf, withReplacements } from "./mutation.ts";

/**
 * Replaces functions of the service in the process of a test: `node --import mutate.ts play.ts`. The variable
 * FLORIN_MUTANT contains the name of the mutant. The service's own code contains no switch for mutants.
 */
const wanted = process.env.FLORIN_MUTANT;
const mutant = [...mutants, ...modelMutants, ...conformanceMutants].find(
  ({ name }) => name === wanted,
);
if (!mutant) throw new Error(`There is no mutant '${wanted}'.`);

const sources = join(import.meta.dirname, "../../src");
const modules = new Map(
  namesOf(mutant).map(([path, names]) => [
    pathToFileURL(join(sources, path)).href,
    { path, names },
  ]),
);

registerHooks({
  load(url, context, nextLoad) {
    const target = modules.get(url);
    if (!target) return nextLoad(url, context);
    const text = readFileSync(join(sources, target.path), "utf8");
    const source = withReplacements(text, { ...target, replacedFrom: import.meta.url });
    return { format: "module-typescript", source, shortCircuit: true };
  },
});

/** Returns the mutant's replacement of an export. */
export function replaced(path: string, name: string, original: unknown): unknown {
  const replacements = mutant?.replace as Record<
    string,
    Record<string, (original: unknown) => unknown>
  >;
  return replacements[path]?.[name]?.(original);
}
