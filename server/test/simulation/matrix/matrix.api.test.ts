import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { builtEmbed } from "@florin/embed/test/built-embed.ts";
import { dose } from "../../test-size.ts";
import { type CrashPoint, crashPoints, expectedAt, faultCases } from "./fault-cases.ts";
import { runFaultCases } from "./run-fault-cases.ts";

/** Tests twelve faults for each operation, with a server that is killed at each crash point. */
let directory: string;
let embed: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "florin-matrix-"));
  embed = (await builtEmbed()).outdir;
});
after(() => rm(directory, { recursive: true, force: true }));

/** The crash point of the short dose: the most difficult one, at which the acquirer's outcome is unknown. */
const mostDifficult: CrashPoint = "sent, no response";
const testedCrashPoints = [
  mostDifficult,
  ...crashPoints.filter((point) => point !== mostDifficult),
].slice(0, dose("crash-points", { short: 1, long: crashPoints.length }));

describe("every case reaches its expected state", { concurrency: 2 }, () => {
  for (const crash of testedCrashPoints) {
    test(`${faultCases.length} cases, crash: ${crash}`, async () => {
      const found = await runFaultCases(crash, faultCases, embed, directory);
      const wrong = found
        .map((faultCase) => ({ ...faultCase, expected: expectedAt(faultCase, crash) }))
        .filter(({ found, expected }) => found !== expected)
        .map(
          (faultCase) =>
            `${faultCase.operation}, ${faultCase.behavior}: ${faultCase.found}, not ${faultCase.expected}`,
        );
      assert.deepEqual(wrong, []);
    });
  }
});
