import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { endChild } from "../end-child.ts";
import type { ServiceCommand, ServiceMessage, ServiceSettings } from "./serve.ts";

/** The service in a child process. A restart keeps its port and its clock. */
export type Service = {
  readonly url: string;
  advanceClock(milliseconds: number): Promise<void>;
  send(command: ServiceCommand): Promise<void>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  start(): Promise<void>;
};

export async function startService(settings: Omit<ServiceSettings, "aheadMs">): Promise<Service> {
  let aheadMs = 0;
  let running = await startProcess({ ...settings, aheadMs });
  const service: Service = {
    url: `http://127.0.0.1:${settings.port}`,
    async advanceClock(milliseconds) {
      aheadMs += milliseconds;
      await service.send({ kind: "advance", milliseconds });
    },
    send: (command) => running.send(command),
    kill: () => running.kill(),
    async start() {
      running = await startProcess({ ...settings, aheadMs });
    },
  };
  return service;
}

async function startProcess(settings: ServiceSettings) {
  const script = join(import.meta.dirname, "serve.ts");
  const child: ChildProcess = fork(script, [JSON.stringify(settings)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const waiting = new Map<number, () => void>();
  let sent = 0;
  await new Promise<void>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The service exited with ${code}.`)));
    child.on("message", (message: ServiceMessage) => {
      if (message.kind === "listening") resolve();
      else waiting.get(message.command)?.();
    });
  });
  return {
    send(command: ServiceCommand): Promise<void> {
      child.send(command);
      const number = ++sent;
      return new Promise((resolve) => waiting.set(number, resolve));
    },
    kill: () => endChild(child, "SIGKILL"),
  };
}
