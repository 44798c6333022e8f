import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { modelMutants } from "./model/model-mutants.ts";
import { mutants } from "./mutants.ts";
import { mutatedText } from "./service-copy.ts";

const sources = join(import.meta.dirname, "../../src");

// `npm run prove` runs the mutants. This finds the ones that a change of the sources has broken.
for (const mutation of [...mutants, ...modelMutants]) {
  test(`the mutant applies to the sources: ${mutation.name}`, async () => {
    mutatedText(mutation, await readFile(join(sources, mutation.file), "utf8"));
  });
}
