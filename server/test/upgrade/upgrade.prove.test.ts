import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { dose, seed } from "../test-size.ts";

const rows = dose("rows", { short: 20_000, long: 1_000_000 });

test(`an upgrade under load with ${rows} charges loses and duplicates no payment, and blocks none for a second (seed ${seed})`, async (t) => {
  const script = join(import.meta.dirname, "upgrade.ts");
  const args = [script, "--rows", String(rows), "--seed", String(seed)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  createInterface(child.stdout).on("line", (line) => t.diagnostic(line));
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
});
