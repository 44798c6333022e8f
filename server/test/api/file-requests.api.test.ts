import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { startShop } from "../shop.ts";

const directory = await mkdtemp(join(tmpdir(), "florin-files-"));
await mkdir(join(directory, "assets"));
await writeFile(join(directory, "index.html"), "<!doctype html>");
await writeFile(join(directory, "assets/page.js"), "export {};");
after(() => rm(directory, { recursive: true }));
const shop = await startShop({ workers: false, dashboard: { directory } });
after(() => shop.close());

const asset = shop.app.servedRoutes.find(({ url }) => url.startsWith("/embed/assets/frame"));
const files = ["/embed.js", asset?.url ?? "", "/dashboard/assets/page.js"];

for (const [name, value] of [
  ["range", "bytes=0-4"],
  ["range", "bytes=9-0"],
  ["range", "bytes=999999999-"],
  ["range", "x"],
  ["if-match", '"x"'],
  ["if-unmodified-since", "Mon, 01 Jan 2001 00:00:00 GMT"],
] as const) {
  test(`200: a file is sent in full, regardless of ${name}: ${value}`, async () => {
    for (const path of files) {
      const whole = await shop.send("GET", path);
      const reply = await shop.send("GET", path, { headers: { [name]: value } });
      assert.equal(reply.status, 200, path);
      assert.equal(reply.text, whole.text);
      assert.equal(reply.headers.get("accept-ranges"), null);
    }
  });
}

test("304: a browser with a current copy does not download the file again", async () => {
  for (const path of files) {
    const etag = (await shop.send("GET", path)).headers.get("etag") as string;
    const reply = await shop.send("GET", path, { headers: { "if-none-match": etag } });
    assert.deepEqual([reply.status, reply.text], [304, ""], path);
  }
});
