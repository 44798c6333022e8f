import { createInterface } from "node:readline";
import { readOptions } from "./options.ts";
import { scenariosFor } from "./scenarios/scenarios.ts";
import { createStage as open } from "./stage.ts";

const options = readOptions(["--only", process.argv[2]!, "--seconds", "3", "--runs", "1"]);
const stage = await open(options);
const scenarios = scenariosFor(options);
for (const s of scenarios) await s.measure(stage, { seconds: 2, label: `warm ${s.name}` });
console.log("READY", scenarios.length);
let n = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const [i, seconds] = line.split(" ").map(Number);
  const m = await scenarios[i!]!.measure(stage, { seconds: seconds!, label: `h ${n++}` });
  console.log("RESULT " + JSON.stringify(m));
}
await stage.close();
process.exit(0);
