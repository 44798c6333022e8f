import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AccountId } from "../../../src/core/ids.ts";
import { endChild } from "../../end-child.ts";
import { slowed } from "../../slowness.ts";
import type { DirectoryProxy } from "./directory-proxy.ts";
import type { ServerCommand, ServerMessage } from "./serve.ts";

/** A server process and its IPC channel. */
export type MatrixServer = {
  readonly url: string;
  arm(command: Omit<Extract<ServerCommand, { kind: "arm" }>, "kind">): Promise<void>;
  /** Waits until the server is about to send the armed message of each of these merchants. */
  reached(accounts: readonly AccountId[]): Promise<void>;
  resume(): void;
  kill(): Promise<void>;
};

export async function startMatrixServer(
  databaseUrl: string,
  directory: string,
  embed: string,
  directoryProxy: DirectoryProxy,
): Promise<MatrixServer> {
  const script = join(import.meta.dirname, "serve.ts");
  const child: ChildProcess = fork(script, [databaseUrl, directory, embed, directoryProxy.url], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const reported = { armed: new Set<AccountId>(), reached: new Set<AccountId>() };
  const { url, internalUrl } = await new Promise<Extract<ServerMessage, { kind: "listening" }>>(
    (resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`The server exited with ${code}`)));
      child.on("message", (message: ServerMessage) => {
        if (message.kind === "listening") resolve(message);
        else reported[message.kind].add(message.account);
      });
    },
  );
  directoryProxy.connect(internalUrl);
  const sendCommand = (command: ServerCommand) => child.send(command);

  async function all(which: "armed" | "reached", accounts: readonly AccountId[]): Promise<void> {
    const deadline = performance.now() + slowed(30_000);
    while (!accounts.every((account) => reported[which].has(account))) {
      const missing = accounts.filter((account) => !reported[which].has(account));
      assert.ok(performance.now() < deadline, `never ${which}: ${missing.join()}`);
      await sleep(10);
    }
  }

  return {
    url,
    async arm(command) {
      reported.armed.delete(command.account);
      reported.reached.delete(command.account);
      sendCommand({ kind: "arm", ...command });
      await all("armed", [command.account]);
    },
    reached: (accounts) => all("reached", accounts),
    resume: () => void sendCommand({ kind: "resume" }),
    kill: () => endChild(child, "SIGKILL"),
  };
}
