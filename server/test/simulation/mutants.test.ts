import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { conformanceMutants } from "../conformance/conformance-mutants.ts";
import { modelMutants } from "./model/model-mutants.ts";
import { mutants } from "./mutants.ts";
import { namesOf, withReplacements } from "./mutation.ts";

const sources = join(import.meta.dirname, "../../src");

// `npm run prove` runs the mutants. The compiler checks their types. This test checks that each module declares the
// exports that are replaced, and does not re-export them from another module.
for (const mutant of [...mutants, ...modelMutants, ...conformanceMutants]) {
  test(`the mutant replaces existing exports: ${mutant.name}`, async () => {
    for (const [path, names] of namesOf(mutant)) {
      const text = await readFile(join(sources, path), "utf8");
      withReplacements(text, { path, names, replacedFrom: import.meta.url });
    }
  });
}
