import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../../../tools/source-tree.ts";

const run = promisify(execFile);

/** The migrations that the next version has in addition to those of this repository. */
export const migrationsDirectory = join(import.meta.dirname, "migrations");

/** The version to which `npm run upgrade:check` upgrades. */
export const nextVersion = "0.1.1-upgrade-check";

/**
 * Installs the npm package `florin` from its tarball, and returns its directory. The package contains all dependencies
 * except Node, so no registry is needed. PostgreSQL is not needed, because the services use `DATABASE_URL`.
 */
export async function installPackage(tarball: string, directory: string): Promise<string> {
  const modules = join(directory, "node_modules");
  await mkdir(modules, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", modules]);
  const installed = join(modules, "package");
  for (const name of await readdir(join(root, "node_modules"))) {
    if (/^node-(linux|darwin)-/.test(name)) {
      await symlink(join(root, "node_modules", name), join(modules, name));
    }
  }
  return installed;
}

/** Turns an installed package into the next version: adds the migrations and changes the version number. */
export async function makeNextVersion(installed: string): Promise<void> {
  const migrations = join(installed, "server/src/platform/database/migrations");
  await cp(migrationsDirectory, migrations, { recursive: true });
  const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  const changed = { ...manifest, version: nextVersion };
  await writeFile(join(installed, "package.json"), JSON.stringify(changed));
  const file = join(installed, "contract/src/versions.js");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/(\bservice: )"[^"]+"/, `$1"${nextVersion}"`));
}
