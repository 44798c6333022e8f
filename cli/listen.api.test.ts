import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { verify } from "@florin/sdk/webhooks";
import { endChild } from "@florin/server/test/end-child.ts";

const florin = join(import.meta.dirname, "florin.ts");

test("florin listen forwards every event, signed, to a local URL across a service restart, and florin trigger creates events", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "florin-listen-"));
  const children: ChildProcess[] = [];
  t.after(async () => {
    for (const child of children.reverse()) await endChild(child);
    local.closeAllConnections();
    local.close();
    await rm(directory, { recursive: true, force: true });
  });
  const run = (arguments_: string[], port = "0") => {
    const child = spawn(process.execPath, [florin, ...arguments_], {
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        ...process.env,
        FLORIN_DATA: directory,
        PORT: port,
        SHOP_PORT: "0",
        FLORIN_RATE_LIMIT: "off",
        FLORIN_LOG: "silent",
      },
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    children.push(child);
    return { child, output: () => output };
  };
  const waitForOutput = async (process_: { output: () => string }, words: RegExp) => {
    for (let attempt = 0; attempt < 1_200; attempt++) {
      if (words.test(process_.output())) return;
      await sleep(50);
    }
    assert.fail(`expected output ${words}, got: ${process_.output()}`);
  };
  let secret = "";
  const received: { id: string; type: string }[] = [];
  let crashes = false;
  const local = createServer(async (request, response) => {
    if (crashes) {
      local.close();
      request.socket.destroy();
      return;
    }
    const event = await verify(request, secret);
    received.push(event);
    response.end();
  }).listen(0, "127.0.0.1");
  await once(local, "listening");
  const to = `http://127.0.0.1:${(local.address() as AddressInfo).port}/hook`;

  let service = run(["start"]);
  await waitForOutput(service, /Florin is ready/);
  const { base_url } = JSON.parse(await readFile(join(directory, "ready.json"), "utf8"));
  const listening = run(["listen", "--forward-to", to]);
  await waitForOutput(listening, /Listening to/);
  secret = /whsec_\S+/.exec(listening.output())?.[0] ?? "";

  const trigger = async (...types: string[]) => {
    const { child, output } = run(["trigger", ...types]);
    const [code] = await once(child, "exit");
    assert.equal(code, 0, output());
  };
  await trigger("payment.succeeded", "payment_failed", "payment.authorized");
  await waitForOutput(listening, /payment\.authorized .*→ 200/);

  // Simulates a closed terminal window, after which no process reads the output.
  service.child.stdout.destroy();
  await endChild(service.child, "SIGHUP");
  assert.equal(service.child.exitCode, 0);
  await assert.rejects(readFile(join(directory, "ready.json")), { code: "ENOENT" });
  await waitForOutput(listening, /reconnecting/);
  service = run(["start"], new URL(base_url).port);
  await waitForOutput(service, /Florin is ready/);
  // Most of these events occur before the listener has reconnected.
  await trigger("checkout_session.expired", "payment.requires_action", "ping");
  await waitForOutput(listening, /ping .*→ 200/);
  const types = received.map(({ type }) => type);
  assert.deepEqual(types, [
    "payment.succeeded",
    "payment_failed",
    "payment.authorized",
    "checkout_session.expired",
    "payment.requires_action",
    "ping",
  ]);
  assert.equal(new Set(received.map(({ id }) => id)).size, types.length);

  crashes = true;
  await trigger("payment_failed", "ping");
  await waitForOutput(
    listening,
    /payment_failed .*→ not delivered: the handler closed the connection without a response \((UND_ERR_SOCKET|ECONNRESET)\)\. Florin/,
  );
  await waitForOutput(
    listening,
    /ping .*→ not delivered: connection refused, start the handler \(ECONNREFUSED\)\. Florin does not send this event again\./,
  );
});
