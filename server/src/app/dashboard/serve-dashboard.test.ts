import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { systemClock } from "../../core/clock.ts";
import { createServer } from "../../platform/http/server.ts";
import { serveDashboard } from "./serve-dashboard.ts";

const directory = await mkdtemp(join(tmpdir(), "florin-dashboard-"));
await mkdir(join(directory, "assets"));
await writeFile(join(directory, "index.html"), "<!doctype html><title>Florin</title>");
await writeFile(join(directory, "theme.js"), "0;");
await writeFile(join(directory, "assets/main-1a2b3c4d.js"), "1;");
await writeFile(join(directory, "assets/main-1a2b3c4d.js.br"), "packed");

const app = createServer({
  clock: systemClock,
  baseUrl: () => "http://127.0.0.1",
  log: { fault: () => undefined },
});
serveDashboard(app, { directory, publicUrl: () => "https://pay.example" });
await app.ready();
after(async () => {
  await app.close();
  await rm(directory, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

test("every path of the app returns the same page, which is not cached", async () => {
  for (const url of [
    "/dashboard",
    "/dashboard/acct_1/test/payments/ch_1",
    "/dashboard/sign-in?next=/",
  ]) {
    const page = await get(url);
    assert.equal(page.statusCode, 200, url);
    assert.match(page.body, /<title>Florin/);
    assert.equal(page.headers["cache-control"], "no-store");
  }
});

test("the CSP allows only the page's own resources and no framing", async () => {
  const policy = String((await get("/dashboard")).headers["content-security-policy"]);
  const directives = policy.split("; ");
  for (const directive of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "frame-ancestors 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
  ]) {
    assert.ok(directives.includes(directive), directive);
  }
  assert.ok(directives.includes("frame-src 'self' https://pay.example"));
  assert.doesNotMatch(policy, /unsafe|\*/);
});

test("files with a content hash are cached permanently and sent compressed", async () => {
  const plain = await get("/dashboard/assets/main-1a2b3c4d.js");
  assert.equal(plain.body, "1;");
  assert.equal(plain.headers["cache-control"], "public, max-age=31536000, immutable");
  const packed = await get("/dashboard/assets/main-1a2b3c4d.js", { "accept-encoding": "br" });
  assert.equal(packed.headers["content-encoding"], "br");
  assert.equal(packed.body, "packed");
  assert.equal((await get("/dashboard/theme.js")).headers["cache-control"], "no-cache");
});

test("a missing file returns 404 instead of the page", async () => {
  const gone = await get("/dashboard/assets/main-00000000.js");
  assert.equal(gone.statusCode, 404);
  assert.equal(gone.json().error.code, "endpoint_unknown");
});

test("the root path redirects to the dashboard", async () => {
  const response = await get("/");
  assert.equal(response.statusCode, 302);
  assert.equal(response.headers.location, "/dashboard");
});
