import assert from "node:assert/strict";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Mutation } from "./mutants.ts";

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

/** Mutates the copy. */
export async function mutate(directory: string, mutation: Mutation): Promise<void> {
  const path = join(directory, "server/src", mutation.file);
  await writeFile(path, mutatedText(mutation, await readFile(path, "utf8")));
}

/** Returns the changed source. Fails if the sources have changed and the mutation no longer matches. */
export function mutatedText({ name, file, find, replace }: Mutation, text: string): string {
  const places = text.split(find).length - 1;
  assert.equal(
    places,
    1,
    `The mutant "${name}" does not fit: its text occurs ${places} times in server/src/${file}, and must occur once. ` +
      "Write it again for the current sources (server/test/simulation/mutants.ts, model/model-mutants.ts).",
  );
  return text.replace(find, () => replace);
}
