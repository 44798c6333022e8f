import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { dose, seed } from "../test-size.ts";

const failovers = dose("failovers", { short: 3, long: 50 });

test(`the service loses and duplicates no payment in ${failovers} failovers of Postgres under load (seed ${seed})`, {
  skip: process.getuid?.() !== 0 && "network namespaces need root",
}, async (t) => {
  const script = join(import.meta.dirname, "failover.ts");
  const args = [script, "--count", String(failovers), "--seed", String(seed)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  createInterface(child.stdout).on("line", (line) => t.diagnostic(line));
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
});
