import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Cluster } from "./embedded-cluster.ts";
import { findPostmaster } from "./embedded-postmaster.ts";

test("a Postgres whose pid file cannot be read is not considered stopped", async () => {
  const data = await mkdtemp(join(tmpdir(), "florin-postmaster-"));
  after(() => rm(data, { recursive: true }));
  const cluster = { data } as Cluster;
  assert.equal(await findPostmaster(cluster), null);
  // Even root cannot read a directory like a file.
  await mkdir(join(data, "postmaster.pid"));
  await assert.rejects(findPostmaster(cluster), { code: "EISDIR" });
});
