import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { DecryptionFailed } from "./aes-gcm.ts";
import { createLocalKeyProvider } from "./local-key-provider.ts";

const root = await mkdtemp(path.join(tmpdir(), "keys-"));
after(() => rm(root, { recursive: true }));
const context = Buffer.from("context");
const dataKey = Buffer.alloc(32, 7);

test("keys are created on first use, readable by their owner only, and separate for test and live", async () => {
  const directory = path.join(root, "first-use");
  const keys = createLocalKeyProvider(directory);
  await keys.wrap(false, dataKey, context);
  assert.deepEqual(await readdir(directory), ["test.1.key"]);
  await keys.wrap(true, dataKey, context);
  await keys.mac(true, context);
  const files = await readdir(directory);
  assert.deepEqual(files.sort(), ["live.1.key", "live.fingerprint.key", "test.1.key"]);
  for (const file of files) {
    assert.equal((await stat(path.join(directory, file))).mode & 0o777, 0o600);
  }
  assert.equal((await stat(directory)).mode & 0o777, 0o700);
});

test("a wrapped key is unwrapped by another process only with the same context and mode", async () => {
  const directory = path.join(root, "wrap");
  const wrapped = await createLocalKeyProvider(directory).wrap(false, dataKey, context);
  const keys = createLocalKeyProvider(directory);
  assert.deepEqual(await keys.unwrap(false, wrapped, context), dataKey);
  await assert.rejects(keys.unwrap(false, wrapped, Buffer.from("other")), DecryptionFailed);
  await assert.rejects(keys.unwrap(true, wrapped, context), /is not a live key/);
  await keys.wrap(true, dataKey, context);
  await assert.rejects(
    keys.unwrap(true, { ...wrapped, keyId: "live.1" }, context),
    DecryptionFailed,
  );
});

test("a key id from the database cannot be a path and does not recreate a missing key", async () => {
  const keys = createLocalKeyProvider(path.join(root, "ids"));
  const wrapped = await keys.wrap(false, dataKey, context);
  const under = (keyId: string) => keys.unwrap(false, { ...wrapped, keyId }, context);
  await assert.rejects(under("../wrap/test.1"), /is not a test key/);
  await assert.rejects(under("test.7"), { name: "KeyMissing" });
  await assert.rejects(under("test.fingerprint"), /is not a test key/);
});

test("a key file that other users can read is rejected", async () => {
  const directory = path.join(root, "open");
  await createLocalKeyProvider(directory).wrap(false, dataKey, context);
  await chmod(path.join(directory, "test.1.key"), 0o644);
  await assert.rejects(
    createLocalKeyProvider(directory).wrap(false, dataKey, context),
    /chmod 600/,
  );
});

test("a directory with the name of a key file is rejected", async () => {
  const directory = path.join(root, "nested");
  await mkdir(path.join(directory, "test.1.key"), { recursive: true, mode: 0o700 });
  await assert.rejects(
    createLocalKeyProvider(directory).wrap(false, dataKey, context),
    /test\.1\.key is not a file\. Restore the file/,
  );
});

test("key providers that race for the first use get the same key", async () => {
  for (let round = 0; round < 10; round++) {
    const directory = path.join(root, `race-${round}`);
    const macs = await Promise.all(
      Array.from({ length: 20 }, () => createLocalKeyProvider(directory).mac(false, context)),
    );
    assert.equal(new Set(macs.map((mac) => mac.toString("hex"))).size, 1);
  }
});

test("processes that start together get the same keys", async () => {
  const directory = path.join(root, "race");
  const program = `
    import { createLocalKeyProvider } from ${JSON.stringify(path.join(import.meta.dirname, "local-key-provider.ts"))};
    const mac = await createLocalKeyProvider(${JSON.stringify(directory)}).mac(false, Buffer.from("x"));
    console.log(mac.toString("hex"));`;
  const run = promisify(execFile);
  const macs = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program]);
      return stdout;
    }),
  );
  assert.equal(new Set(macs).size, 1);
  assert.deepEqual(await readdir(directory), ["test.fingerprint.key"]);
});
