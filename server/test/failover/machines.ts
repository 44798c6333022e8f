import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { promisify } from "node:util";
import { hasExited } from "../end-child.ts";
import { commandInDebian, debian } from "./debian-tree.ts";

const run = promisify(execFile);

/** The bridge that connects the machines. HAProxy and Florin run at its address, which is `prefix`.1. */
const bridge = "florin0";
const prefix = "10.200.0";

/** A machine with one network interface: a network namespace that is connected to a bridge of this namespace. */
export type Machine = {
  readonly name: string;
  readonly address: string;
  /** Starts a process on the machine, as a user. Its output is appended to the file. */
  start(command: readonly string[], options: StartOptions): ChildProcess;
  /** Runs a command on the machine to its end. Returns its output, or null if it fails or exceeds the time limit. */
  run(command: readonly string[], options: RunOptions): Promise<string | null>;
  /** Returns the IDs of all processes of the machine. */
  pids(): Promise<number[]>;
  /** Sends a signal to all processes of the machine. */
  signal(name: NodeJS.Signals): Promise<void>;
  /** Disconnects the network cable. Packets are lost without a response. */
  cut(): Promise<void>;
  connect(): Promise<void>;
};

export type StartOptions = {
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log: string;
};
export type RunOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
};

/** Mounts a directory for Postgres's socket. Each `ip netns exec` has its own mount namespace. */
const ownSockets = `mkdir -p ${debian}/run/postgresql && mount -t tmpfs -o mode=1777 tmpfs ${debian}/run/postgresql && exec "$@"`;

const ip = (...args: string[]) => run("ip", args);

/**
 * Creates machines in the network namespace of this process. The process must have been started in new network and
 * mount namespaces, so that the machines end with it and other programs do not see them.
 */
export async function createMachines(count: number): Promise<Machine[]> {
  await run("mkdir", ["-p", "/run/netns"]);
  await run("mount", ["-t", "tmpfs", "tmpfs", "/run/netns"]);
  await ip("link", "set", "lo", "up");
  await ip("link", "add", bridge, "type", "bridge");
  await ip("address", "add", `${prefix}.1/24`, "dev", bridge);
  await ip("link", "set", bridge, "up");
  const machines: Machine[] = [];
  for (let number = 1; number <= count; number++) machines.push(await createMachine(number));
  return machines;
}

/** Creates another machine. `createMachines` must have created the bridge. */
export async function createMachine(number: number): Promise<Machine> {
  const name = `node${number}`;
  const cable = `cable${number}`;
  const address = `${prefix}.${10 + number}`;
  await ip("netns", "add", name);
  await ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", name);
  await ip("link", "set", cable, "master", bridge);
  await ip("link", "set", cable, "up");
  await ip("-n", name, "link", "set", "lo", "up");
  await ip("-n", name, "address", "add", `${address}/24`, "dev", "eth0");
  await ip("-n", name, "link", "set", "eth0", "up");

  const pids = async (): Promise<number[]> => {
    const { stdout } = await ip("netns", "pids", name);
    return stdout.split("\n").flatMap((line) => (line === "" ? [] : Number(line)));
  };
  return {
    name,
    address,
    pids,
    start(command, { user, env, log }) {
      const output = openSync(log, "a");
      const started = ["sh", "-c", ownSockets, "sh", ...commandInDebian(user, command)];
      return spawn("ip", ["netns", "exec", name, ...started], {
        stdio: ["ignore", output, output],
        env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LANG: "C.UTF-8", ...env },
        cwd: "/",
      });
    },
    async run(command, { env = {}, timeoutMs }) {
      const args = ["netns", "exec", name, ...commandInDebian("postgres", command)];
      const environment = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", ...env };
      const limits = { timeout: timeoutMs, killSignal: "SIGKILL" } as const;
      return run("ip", args, { env: environment, ...limits }).then(
        ({ stdout }) => stdout,
        () => null,
      );
    },
    async signal(signal) {
      // Sends the signal twice, because a process can create another between the listing and the signal.
      for (let times = 0; times < 2; times++) {
        for (const pid of await pids()) {
          try {
            process.kill(pid, signal);
          } catch {
            // The process has exited.
          }
        }
      }
    },
    cut: async () => void (await ip("link", "set", cable, "down")),
    connect: async () => void (await ip("link", "set", cable, "up")),
  };
}

/** Waits for the end of a child process. */
export async function ended(child: ChildProcess): Promise<void> {
  if (!hasExited(child)) await once(child, "exit");
}
