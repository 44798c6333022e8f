import assert from "node:assert/strict";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Mutant } from "./mutants.ts";

const root = resolve(import.meta.dirname, "../../..");
const workspaces = ["server", "contract", "embed"];

/**
 * Copies the service's sources, so that a test can mutate them without a hook in the real ones. The copied workspaces
 * import each other, not the originals. Packages are shared.
 */
export async function copyService(directory: string): Promise<void> {
  // The test helpers import the state tables from the tools.
  for (const folder of [...workspaces, "tools"]) {
    await cp(join(root, folder), join(directory, folder), {
      recursive: true,
      filter: (path) => !/[/\\](node_modules|dist|\.[^/\\]*)$/.test(path.slice(root.length)),
    });
  }
  await cp(join(root, "package.json"), join(directory, "package.json"));
  const modules = join(directory, "node_modules");
  await mkdir(join(modules, "@florin"), { recursive: true });
  for (const name of await readdir(join(root, "node_modules"))) {
    if (name.startsWith(".") || name === "@florin") continue;
    await symlink(join(root, "node_modules", name), join(modules, name));
  }
  for (const workspace of workspaces) {
    await symlink(join(directory, workspace), join(modules, "@florin", workspace));
  }
}

/** Mutates the copy. Fails if the sources have changed and the mutant no longer matches. */
export async function mutate(directory: string, { name, file, find, replace }: Mutant) {
  const path = join(directory, "server/src", file);
  const text = await readFile(path, "utf8");
  const places = text.split(find).length - 1;
  assert.equal(
    places,
    1,
    `The mutant "${name}" no longer fits: its text stands ${places} times in server/src/${file}, and must stand ` +
      "once. Write it anew for the sources as they are (server/test/simulation/mutants.ts).",
  );
  await writeFile(
    path,
    text.replace(find, () => replace),
  );
}
