import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { command, type Image } from "./image-steps.ts";

/** A service that runs in an image with the same settings as in the compose file and the Helm chart. */
export type Container = {
  /** The directories of the volumes on this machine, by their paths in the image. */
  readonly volumes: ReadonlyMap<string, string>;
  /** Runs a command in the container as its user. Returns the exit code and the output. */
  run(command: readonly string[]): { readonly code: number | null; readonly output: string };
  /** Returns a field of the process's `/proc/…/status`, such as `Uid` or `CapEff`. */
  status(field: string): string;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
};

/**
 * Starts an image with a read-only root file system, without capabilities, and with a writable directory for each
 * volume. Returns when the output contains `ready`.
 */
export async function startContainer(
  image: Image,
  directory: string,
  settings: Readonly<Record<string, string>>,
  ready: string,
): Promise<Container> {
  const { root } = image;
  const volumes = new Map<string, string>();
  for (const [index, volume] of image.volumes.entries()) {
    const place = join(directory, `volume-${index}`);
    cpSync(join(root, volume), place, { recursive: true });
    // The directory of a volume gets the owner and the mode of the directory in the image.
    command(["chown", "--reference", join(root, volume), place]);
    command(["chmod", "--reference", join(root, volume), place]);
    command(["mount", "--bind", place, join(root, volume)]);
    volumes.set(volume, place);
  }
  mkdirSync(join(root, "tmp"), { recursive: true });
  command(["mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", join(root, "tmp")]);
  command(["mount", "-o", "remount,ro", root]);

  const [user = "0", group = "0"] = image.user.split(":");
  const inside = (line: readonly string[]): [string, ...string[]] => [
    ...(["chroot", root, "setpriv", "--reuid", user, "--regid", group, "--clear-groups"] as const),
    ...["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"],
    ...["env", "-C", image.workingDirectory, ...line],
  ];
  const env = { ...image.environment, ...settings };
  const [file, ...args] = inside(image.command);
  const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  await outputContains(child, ready);
  const pid = child.pid as number;
  return {
    volumes,
    run(line) {
      const [program, ...rest] = inside(line);
      const { status, stdout, stderr } = spawnSync(program, rest, { env, encoding: "utf8" });
      return { code: status, output: stdout + stderr };
    },
    status(field) {
      const text = readFileSync(`/proc/${pid}/status`, "utf8");
      return new RegExp(`^${field}:\\s+(\\S+)`, "m").exec(text)?.[1] ?? "";
    },
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      const [code] = await exited;
      return code;
    },
  };
}

async function outputContains(child: ChildProcess, text: string): Promise<void> {
  let output = "";
  const found = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (bytes) => {
        output = (output + String(bytes)).slice(-20_000);
        if (output.includes(text)) resolve();
      });
    }
  });
  const ended = once(child, "exit").then(() => {
    throw new Error(`The container exited before it was ready: ${output}`);
  });
  await Promise.race([found, ended]);
}
