import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import { dose } from "../../test-size.ts";
import { type CrashPoint, crashPoints, expectedAt, faultCases } from "./fault-cases.ts";
import { runFaultCases } from "./run-fault-cases.ts";

// Twelve acquirer failures for each operation, with a server that is killed at each crash point.
let directory: string;
let embed: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "florin-matrix-"));
  embed = (await builtEmbed()).outdir;
});
after(() => rm(directory, { recursive: true, force: true }));

/** The short dose crashes while the outcome at the acquirer is unknown, the hardest point. */
const hardest: CrashPoint = "sent, no response";
const tried = [hardest, ...crashPoints.filter((point) => point !== hardest)].slice(
  0,
  dose("crash-points", { short: 1, long: crashPoints.length }),
);

describe("every case reaches its expected state", { concurrency: 2 }, () => {
  for (const crash of tried) {
    test(`${faultCases.length} cases, crash: ${crash}`, async () => {
      const found = await runFaultCases(crash, faultCases, embed, directory);
      const wrong = found
        .map((faultCase) => ({ ...faultCase, expected: expectedAt(faultCase, crash) }))
        .filter(({ found, expected }) => found !== expected)
        .map(
          (faultCase) =>
            `${faultCase.operation}, ${faultCase.behaviour}: ${faultCase.found}, not ${faultCase.expected}`,
        );
      assert.deepEqual(wrong, []);
    });
  }
});
