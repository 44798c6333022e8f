import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DockerfileParser, type Instruction, type JSONInstruction } from "dockerfile-ast";

/** The directories of a base image. Each directory is mounted above the previous one. */
export type Base = readonly string[];

/**
 * The root directory that results from the last stage of a Dockerfile, and the settings for a container of the image.
 */
export type Image = {
  readonly root: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly workingDirectory: string;
  readonly volumes: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
};

export type ImageOptions = {
  readonly dockerfile: string;
  /** The build context, from which COPY instructions copy files. */
  readonly context: string;
  /** An empty directory in which the root directories of the stages are created. */
  readonly directory: string;
  readonly bases: Readonly<Record<string, Base>>;
  /**
   * Environment variables for RUN instructions that do not become part of the image, such as a certificate authority of
   * this network.
   */
  readonly environment: Readonly<Record<string, string>>;
};

type Stage = {
  readonly name: string | null;
  readonly root: string;
  environment: Record<string, string>;
  user: string;
  workingDirectory: string;
  volumes: string[];
  entrypoint: readonly string[];
  arguments: readonly string[];
  healthCheck: readonly string[];
};

/**
 * Executes the instructions of a Dockerfile in root directories of this machine, without a container engine. The
 * process must have its own mount namespace, and be root. Rejects an unsupported instruction.
 */
export function runImageSteps(options: ImageOptions): Image {
  const parsed = DockerfileParser.parse(readFileSync(options.dockerfile, "utf8"));
  const defaults: Record<string, string> = {};
  const stages: Stage[] = [];
  for (const instruction of parsed.getInstructions()) {
    const stage = stages.at(-1);
    const text = instruction.getArgumentsContent() ?? "";
    if (instruction.getKeyword() === "FROM") {
      stages.push(startStage(text, defaults, stages.length, options));
    } else if (instruction.getKeyword() === "ARG" && !stage) {
      const [name = "", value = ""] = text.split("=");
      defaults[name] = value;
    } else if (stage) {
      execute(instruction, text, stage, stages, options);
    } else throw new Error(`${instruction.getKeyword()} before FROM is not supported.`);
  }
  const last = stages.at(-1);
  if (!last) throw new Error(`${options.dockerfile} has no FROM.`);
  return {
    root: last.root,
    environment: last.environment,
    user: last.user,
    workingDirectory: last.workingDirectory,
    volumes: last.volumes,
    command: [...last.entrypoint, ...last.arguments],
    healthCheck: last.healthCheck,
  };
}

function startStage(
  text: string,
  defaults: Readonly<Record<string, string>>,
  number: number,
  { directory, bases }: ImageOptions,
): Stage {
  const [reference = "", , name = null] = text.split(/\s+/);
  const image = reference.replaceAll(/\$\{(\w+)\}/g, (_, key: string) => defaults[key] ?? "");
  const base = bases[image];
  if (!base) throw new Error(`The base image ${image} has no directory.`);
  const place = join(directory, `stage-${number}`);
  const root = join(place, "root");
  for (const part of ["root", "upper", "work"]) mkdirSync(join(place, part), { recursive: true });
  const layers = `lowerdir=${base.join(":")},upperdir=${join(place, "upper")},workdir=${join(place, "work")}`;
  command(["mount", "-t", "overlay", "overlay", "-o", layers, root]);
  command(["mount", "-t", "proc", "proc", join(root, "proc")]);
  command(["mount", "--rbind", "/dev", join(root, "dev")]);
  return {
    ...{ name, root, user: "0:0", workingDirectory: "/", volumes: [] },
    environment: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
    ...{ entrypoint: [], arguments: [], healthCheck: [] },
  };
}

function execute(
  instruction: Instruction,
  text: string,
  stage: Stage,
  stages: readonly Stage[],
  { context, environment }: ImageOptions,
): void {
  const flags = "getFlags" in instruction ? (instruction as JSONInstruction).getFlags() : [];
  switch (instruction.getKeyword()) {
    case "COPY": {
      const from = flags.find((flag) => flag.getName() === "from")?.getValue();
      const source = stages.find(({ name }) => name === from)?.root ?? context;
      const paths = text.split(/\s+/);
      copy(source, paths.slice(0, -1), join(stage.root, paths.at(-1) ?? ""));
      break;
    }
    case "RUN": {
      const [user = "0", group = "0"] = stage.user.split(":");
      const line = `cd ${stage.workingDirectory} && ${text}`;
      const chroot = ["chroot", `--userspec=${user}:${group}`, stage.root, "sh", "-c", line];
      command(chroot, { HOME: "/root", ...environment, ...stage.environment });
      break;
    }
    case "ENV":
      for (const [, name = "", value = ""] of text.matchAll(/(\w+)=(\S+)/g)) {
        stage.environment[name] = value;
      }
      break;
    case "WORKDIR":
      stage.workingDirectory = text;
      mkdirSync(join(stage.root, text), { recursive: true });
      break;
    case "USER":
      stage.user = text;
      break;
    case "VOLUME":
      stage.volumes = JSON.parse(text);
      break;
    case "ENTRYPOINT":
      stage.entrypoint = JSON.parse(text);
      break;
    case "CMD":
      stage.arguments = JSON.parse(text);
      break;
    case "HEALTHCHECK":
      stage.healthCheck = JSON.parse(text.replace(/^CMD\s*/, ""));
      break;
    case "EXPOSE":
    case "STOPSIGNAL":
      break;
    default:
      throw new Error(`The instruction ${instruction.getKeyword()} is not supported.`);
  }
}

/**
 * Copies files into `target` if this path ends with a slash. Otherwise copies the content of a directory to `target`.
 */
function copy(source: string, patterns: readonly string[], target: string): void {
  mkdirSync(target, { recursive: true });
  for (const pattern of patterns) {
    const paths = globSync(pattern.replace(/^\//, ""), { cwd: source });
    if (paths.length === 0) throw new Error(`COPY finds no ${pattern}.`);
    for (const path of paths) {
      const to = target.endsWith("/") ? join(target, basename(path)) : target;
      cpSync(join(source, path), to, { recursive: true, verbatimSymlinks: true });
    }
  }
}

/** Runs a command. Prints its output only if the command fails. */
export function command(
  [file, ...args]: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): string {
  const { status, stdout, stderr, error } = spawnSync(file as string, args, {
    env,
    encoding: "utf8",
    maxBuffer: 2 ** 24,
  });
  if (error) throw error;
  if (status !== 0)
    throw new Error(`${file} ${args.join(" ")} exited with ${status}: ${stdout}${stderr}`);
  return stdout + stderr;
}

/** Writes the files of an image that contains Node and npm, to mount above a Debian. */
export function writeNodeLayer(directory: string, node: string, npm: string): void {
  const bin = join(directory, "usr/local/bin");
  const modules = join(directory, "usr/local/lib/node_modules");
  mkdirSync(bin, { recursive: true });
  mkdirSync(modules, { recursive: true });
  cpSync(node, join(bin, "node"));
  cpSync(npm, join(modules, "npm"), { recursive: true, verbatimSymlinks: true });
  const script = '#!/bin/sh\nexec node /usr/local/lib/node_modules/npm/bin/npm-cli.js "$@"\n';
  writeFileSync(join(bin, "npm"), script, { mode: 0o755 });
}
