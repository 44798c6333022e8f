import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { Cluster } from "./embedded-cluster.ts";
import { archiveSetting, prepareWalArchive, pruneArchive, readArchivedLog } from "./wal-archive.ts";

let archive: string;
beforeEach(async () => {
  archive = await mkdtemp(join(tmpdir(), "florin-wal-"));
});
afterEach(() => rm(archive, { recursive: true }));

const segment = (number: number) => `00000001${hex(Math.floor(number / 256))}${hex(number % 256)}`;
const hex = (number: number) => number.toString(16).toUpperCase().padStart(8, "0");
const mark = (number: number) => `${segment(number)}.00000028.backup`;

async function put(name: string, day: number): Promise<void> {
  await writeFile(join(archive, name), "");
  const time = new Date(Date.UTC(2026, 0, day));
  await utimes(join(archive, name), time, time);
}

test("a database does not start if its archive is not mounted, and creates a new directory in another archive", async () => {
  const home = await mkdtemp(join(tmpdir(), "florin-wal-home-"));
  try {
    const cluster = { home, user: null } as Cluster;
    const [mounted, other] = [join(archive, "mounted"), join(archive, "other")];
    const { [archiveSetting]: directory = "" } = await prepareWalArchive(cluster, mounted);
    assert.equal((await prepareWalArchive(cluster, mounted))[archiveSetting], directory);

    await rm(directory, { recursive: true });
    await assert.rejects(prepareWalArchive(cluster, mounted), /Mount the archive's disk\. /);
    assert.deepEqual(await readdir(mounted), []);

    const moved = (await prepareWalArchive(cluster, other))[archiveSetting];
    assert.deepEqual(
      [await readdir(other), moved],
      [[basename(directory)], join(other, basename(directory))],
    );
  } finally {
    await rm(home, { recursive: true });
  }
});

test("the archived log since a backup ends with the newest segment, even across log numbers", async () => {
  for (const number of [254, 255, 256, 257]) await put(segment(number), number - 250);
  const { segments, until } = await readArchivedLog(archive, segment(255));
  assert.deepEqual(segments, [255, 256, 257].map(segment));
  assert.equal(until.toISOString(), "2026-01-07T00:00:00.000Z");
});

test("an archive with a gap, or without the first segment, is rejected", async () => {
  for (const number of [3, 4, 6]) await put(segment(number), 1);
  await assert.rejects(readArchivedLog(archive, segment(3)), {
    message: `The archive ${archive} is missing the segments between ${segment(4)} and ${segment(6)}. Use a backup from after the gap, or restore the archive from its copy.`,
  });
  await assert.rejects(readArchivedLog(archive, segment(5)), /begins with the segment 0{7}1/);
  await assert.rejects(readArchivedLog(join(archive, "none"), segment(3)), /does not contain/);
});

test("old segments are deleted up to the newest backup that is older than the term", async () => {
  const numbers = [1, 2, 3, 4, 5, 6];
  for (const number of numbers) await put(segment(number), number);
  assert.equal(await pruneArchive(archive, new Date("2026-01-20T00:00:00Z")), 0);
  for (const number of [2, 4, 6]) await put(mark(number), number);
  assert.equal(await pruneArchive(archive, new Date("2026-01-05T00:00:00Z")), 4);
  const kept = [segment(4), mark(4), segment(5), segment(6), mark(6)];
  assert.deepEqual((await readdir(archive)).sort(), kept);
});
