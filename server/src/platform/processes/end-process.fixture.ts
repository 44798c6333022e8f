import { endProcess, killOnUncaughtError } from "./end-process.ts";

/**
 * Ends a process while other threads compile functions: `end-process.fixture.ts <way>`. With a maximum heap of 32 MB the
 * heap is full then, so that the compilation needs a garbage collection. Prints "nothing is open" if Node ends the
 * process for this reason.
 */
const [way] = process.argv.slice(2);

const kept: number[][] = [];

function fillHeap(megabytes: number): void {
  while (process.memoryUsage().heapUsed < megabytes * 1e6) {
    kept.push(new Array(400).fill(kept.length));
  }
}

fillHeap(26);
const functions = Array.from({ length: 40 }, (_, n) => {
  const steps = Array.from(
    { length: 80 },
    (_, step) => `if (sum % ${step + 2} === 0) sum = (sum * ${step + n + 3} + value) | 0;`,
  );
  const body = `let sum = ${n}; for (let turn = 0; turn < 300; turn++) { ${steps.join("\n")} } return sum;`;
  return new Function("value", body) as (value: number) => number;
});
for (let round = 0; round < 10; round++) for (const run of functions) run(round);
fillHeap(29);

process.once("beforeExit", () => console.log("nothing is open"));
switch (way) {
  case "end":
    endProcess(0);
    break;
  case "end with 3":
    endProcess(3);
    break;
  case "end with an open timer":
    setInterval(() => undefined, 1_000);
    endProcess(3);
    break;
  case "end with a channel":
    process.on("message", () => undefined);
    endProcess(0);
    break;
  case "throw":
    killOnUncaughtError();
    throw new Error("an unhandled error");
}
