import { endProcess } from "./end-process.ts";

/**
 * Ends a process while other threads compile functions: `end-process.fixture.ts <exit code> [open]`. With a maximum heap
 * of 32 MB the heap is full then, so that the compilation needs a garbage collection. `open` leaves a timer open.
 */
const [code, open] = process.argv.slice(2);

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

if (open) setInterval(() => undefined, 1_000);
endProcess(Number(code));
