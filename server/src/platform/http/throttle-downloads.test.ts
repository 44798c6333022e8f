import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { throttleDownloads } from "./throttle-downloads.ts";

test("the pages of many downloads are rendered one at a time, and an aborted download is closed", async () => {
  let making = 0;
  let max = 0;
  const closed: string[] = [];
  async function* pagesOf(name: string): AsyncGenerator<string> {
    try {
      for (let page = 0; page < 4; page++) {
        max = Math.max(max, ++making);
        await sleep(2);
        making--;
        yield `${name}${page}`;
      }
    } finally {
      closed.push(name);
    }
  }
  const read = async (name: string, pages: number): Promise<string[]> => {
    const got: string[] = [];
    for await (const page of throttleDownloads(pagesOf(name), name)) {
      got.push(page);
      if (got.length === pages) break;
    }
    return got;
  };
  const got = await Promise.all([read("a", 9), read("b", 9), read("c", 2)]);
  assert.deepEqual(got, [
    ["a0", "a1", "a2", "a3"],
    ["b0", "b1", "b2", "b3"],
    ["c0", "c1"],
  ]);
  assert.equal(max, 1);
  assert.deepEqual(closed.toSorted(), ["a", "b", "c"]);
});

test("a download whose page fails ends, and the others continue", async () => {
  async function* broken(): AsyncGenerator<string> {
    yield "one";
    throw new Error("no second page");
  }
  async function* whole(): AsyncGenerator<string> {
    yield "one";
    yield "two";
  }
  const [failed, went] = await Promise.allSettled(
    [broken(), whole()].map((pages) => Array.fromAsync(throttleDownloads(pages, "merchant"))),
  );
  assert.equal(failed?.status, "rejected");
  assert.deepEqual(went, { status: "fulfilled", value: ["one", "two"] });
});

test("the many downloads of one merchant delay each page of another by at most one page", async () => {
  const order: string[] = [];
  async function* pagesOf(merchant: string): AsyncGenerator<string> {
    for (let page = 0; page < 3; page++) {
      await sleep(2);
      order.push(merchant);
      yield merchant;
    }
  }
  const read = (merchant: string) =>
    Array.fromAsync(throttleDownloads(pagesOf(merchant), merchant));
  const many = Array.from({ length: 20 }, () => read("a"));
  await read("b");
  // Each of the three pages of b waited for one page of a.
  assert.ok(order.filter((merchant) => merchant === "a").length <= 4, order.join(""));
  await Promise.all(many);
});

test("a page that waits for the database does not delay another merchant", async () => {
  const scanned = Promise.withResolvers<void>();
  async function* slow(): AsyncGenerator<string> {
    await scanned.promise;
    yield "late";
  }
  async function* quick(): AsyncGenerator<string> {
    yield "one";
    yield "two";
  }
  const late = Array.fromAsync(throttleDownloads(slow(), "a"));
  assert.deepEqual(await Array.fromAsync(throttleDownloads(quick(), "b")), ["one", "two"]);
  scanned.resolve();
  assert.deepEqual(await late, ["late"]);
});

test("at most four pages wait for the database", async () => {
  const scanned = Promise.withResolvers<void>();
  let started = 0;
  async function* slow(): AsyncGenerator<string> {
    started++;
    await scanned.promise;
    yield "late";
  }
  const all = ["a", "b", "c", "d", "e"].map((merchant) =>
    Array.fromAsync(throttleDownloads(slow(), merchant)),
  );
  while (started < 4) await sleep(10);
  // Longer than a turn, after which a fifth page would start.
  await sleep(700);
  assert.equal(started, 4);
  scanned.resolve();
  assert.deepEqual(
    await Promise.all(all),
    all.map(() => ["late"]),
  );
});

test("between two pages, a download waits for as long as the event loop was busy, not as long as the database took", async () => {
  const within = { idle: 0, active: 0 };
  async function* pagesOf(): AsyncGenerator<number> {
    for (let page = 0; page < 3; page++) {
      const before = performance.eventLoopUtilization();
      const until = performance.now() + 20;
      while (performance.now() < until);
      // The time in which the database would read the page.
      await sleep(200);
      const { idle, active } = performance.eventLoopUtilization(before);
      within.idle += idle;
      within.active += active;
      yield page;
    }
  }
  const before = performance.eventLoopUtilization();
  await Array.fromAsync(throttleDownloads(pagesOf(), "merchant"));
  const waitedMs = performance.eventLoopUtilization(before).idle - within.idle;
  const description = `${waitedMs} ms of waits for ${JSON.stringify(within)}`;
  assert.ok(waitedMs > within.active * 0.9, description);
  assert.ok(waitedMs < within.idle / 2, description);
});
