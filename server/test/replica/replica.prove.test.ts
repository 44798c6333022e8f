import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { dose } from "../test-size.ts";

const seconds = dose("seconds", { short: 3, long: 60 });

test(`no request fails and no read is stale while a replica lags, hangs and dies (${seconds} s each)`, async (t) => {
  const script = join(import.meta.dirname, "replica.ts");
  const child = spawn(process.execPath, [script, "--seconds", String(seconds)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  createInterface(child.stdout).on("line", (line) => t.diagnostic(line));
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
});
