import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AccountId } from "../../../src/core/ids.ts";
import type { DirectoryProxy } from "./directory-proxy.ts";
import type { MerchantInformation, Said } from "./serve.ts";

/** One server process and its channel. */
export type Stage = {
  readonly url: string;
  arm(orders: Omit<Extract<MerchantInformation, { kind: "arm" }>, "kind">): Promise<void>;
  /** Waits until the armed message of each of these merchants is about to be sent. */
  asked(accounts: readonly AccountId[]): Promise<void>;
  go(): void;
  kill(): Promise<void>;
};

export async function openStage(
  databaseUrl: string,
  directory: string,
  embed: string,
  bankLine: DirectoryProxy,
): Promise<Stage> {
  const script = join(import.meta.dirname, "serve.ts");
  const child: ChildProcess = fork(script, [databaseUrl, directory, embed, bankLine.url], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const heard = { armed: new Set<AccountId>(), asked: new Set<AccountId>() };
  const { url, internalUrl } = await new Promise<Extract<Said, { kind: "listening" }>>(
    (resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`The server ended with ${code}`)));
      child.on("message", (said: Said) => {
        if (said.kind === "listening") resolve(said);
        else heard[said.kind].add(said.account);
      });
    },
  );
  bankLine.connect(internalUrl);
  const tell = (told: MerchantInformation) => child.send(told);

  async function all(which: "armed" | "asked", accounts: readonly AccountId[]): Promise<void> {
    const deadline = performance.now() + 30_000;
    while (!accounts.every((account) => heard[which].has(account))) {
      const missing = accounts.filter((account) => !heard[which].has(account));
      assert.ok(performance.now() < deadline, `never ${which}: ${missing.join()}`);
      await sleep(10);
    }
  }

  return {
    url,
    async arm(orders) {
      heard.armed.delete(orders.account);
      heard.asked.delete(orders.account);
      tell({ kind: "arm", ...orders });
      await all("armed", [orders.account]);
    },
    asked: (accounts) => all("asked", accounts),
    go: () => void tell({ kind: "go" }),
    async kill() {
      const ended = child.exitCode === null && child.signalCode === null;
      child.kill("SIGKILL");
      if (ended) await once(child, "exit");
    },
  };
}
