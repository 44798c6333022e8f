import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { endProcess } from "@florin/server/platform/processes/end-process.ts";
import { type CpuProfile, type FunctionTime, startCpuProfile } from "../profile-cpu.ts";

const nodeFlags = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../cli/node-flags.json"), "utf8"),
) as string[];

/** The names of the processes of the service. */
const serviceProcesses: ReadonlySet<string> = new Set(["server", "delivery-worker"]);

/** A process of the bench. It runs until it is stopped or until the bench ends for any reason. */
export type Child<Ready> = {
  readonly pid: number;
  /** The message that the process sent when it was ready. */
  readonly ready: Ready;
  /** Returns the current state of the process, in a form that depends on the process. */
  readState(): Promise<unknown>;
  /** Starts a CPU profile of the process. The next call of `endProfile` ends it. */
  startProfile(): Promise<void>;
  endProfile(): Promise<FunctionTime[]>;
  stop(): Promise<void>;
};

/** The messages that the bench sends to a process. The process sends one response to each. */
type Message = "read_state" | "start_profile" | "end_profile";

/** Starts `processes/<name>.ts` and returns when it is ready. */
export async function startChild<Ready>(name: string, settings: object): Promise<Child<Ready>> {
  const child = fork(join(import.meta.dirname, `${name}.ts`), [JSON.stringify(settings)], {
    // The service's processes run with the Node flags of `npm start`. The fake of Adyen runs without these flags,
    // because they make garbage collection more frequent, and the fake's heap grows with each payment.
    execArgv: serviceProcesses.has(name) ? nodeFlags : [],
    // Standard output is ignored, because the server writes every audit entry to it.
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  const rejection = ended.then(([code]) => {
    throw new Error(`The bench's process '${name}' exited with ${code}`);
  });
  rejection.catch(() => undefined);
  const response = async (): Promise<unknown> =>
    (await Promise.race([once(child, "message"), rejection]))[0];
  const request = (message: Message): Promise<unknown> => {
    child.send(message);
    return response();
  };
  const ready = (await response()) as Ready;
  return {
    pid: child.pid as number,
    ready,
    readState: () => request("read_state"),
    startProfile: async () => void (await request("start_profile")),
    endProfile: async () => (await request("end_profile")) as FunctionTime[],
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** Returns the settings with which the bench started this process. */
export function settingsOfThisProcess<Settings>(): Settings {
  return JSON.parse(process.argv[2] as string) as Settings;
}

/** Reports to the bench that this process is ready. `close` runs when the bench disconnects. */
export function serveBench(
  ready: object,
  close: () => Promise<void>,
  readState: () => object = () => ({}),
): void {
  let profile: CpuProfile | null = null;
  process.on("message", async (message: Message) => {
    switch (message) {
      case "read_state":
        process.send?.(readState());
        break;
      case "start_profile":
        profile = await startCpuProfile();
        process.send?.({});
        break;
      case "end_profile":
        process.send?.((await profile?.stop()) ?? []);
    }
  });
  process.once("disconnect", () => void close().finally(() => endProcess(0)));
  // Ctrl-C sends SIGINT to the whole process group. This process ignores it, because the bench stops each process in
  // order.
  process.on("SIGINT", () => undefined);
  process.send?.(ready);
}
