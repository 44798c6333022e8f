import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { testFiles } from "./test-files.ts";
import { printLine } from "./test-pool.ts";
import { runTests } from "./test-run.ts";

/**
 * `npm run prove` runs the randomized and repetitive tests with their long dose, and the tests that are too slow for
 * `npm test`, such as the mutation tests and Lighthouse. The files run one at a time, because some of them measure time
 * or crash processes.
 *
 *     npm run prove -- --only model --only crash   files with one of these in their path
 *     npm run prove -- --dose 0.1                  a tenth of the long dose
 *     npm run prove -- --seed 7                    repeats a run
 */
const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    dose: { type: "string", default: "1" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    width: { type: "string", default: "1" },
  },
});
const dose = Number(values.dose);
const { only } = values;
const files = testFiles().prove.filter(
  (file) => only.length === 0 || only.some((part) => file.includes(part)),
);

if (!(dose > 0)) {
  printLine(`\`--dose\` must be a number above 0. Got '${values.dose}'.`);
  process.exitCode = 1;
} else if (files.length === 0) {
  printLine(`No test file of \`npm run prove\` has ${only.join(" or ")} in its path.`);
  process.exitCode = 1;
} else {
  printLine(`── ${files.length} files, dose ${dose}, seed ${values.seed}`);
  process.exitCode = await runTests({
    checks: [],
    longChecks: [],
    files,
    width: Number(values.width),
    seed: Number(values.seed),
    dose,
    maxMinutes: 240,
  });
}
