import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { versions } from "@florin/contract/versions.ts";

/**
 * Writes the npm package `@florin/react` into a directory. The package is the card form as a React component. It
 * contains JavaScript and type declarations, and depends on React only.
 */
export function buildReactPackage(outdir: string): void {
  rmSync(outdir, { recursive: true, force: true });
  const tsc = join(import.meta.dirname, "../node_modules/.bin/tsc");
  const project = join(import.meta.dirname, "tsconfig.react.json");
  execFileSync(tsc, ["-p", project, "--outDir", outdir], { stdio: "inherit" });
  for (const file of readdirSync(outdir, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".d.ts")) continue;
    const text = readFileSync(join(outdir, file), "utf8");
    writeFileSync(join(outdir, file), text.replace(/(from "\.[^"]+)\.ts"/g, '$1.js"'));
  }
  writeFileSync(join(outdir, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
  cpSync(join(import.meta.dirname, "README.md"), join(outdir, "README.md"));
  cpSync(join(import.meta.dirname, "../LICENSE"), join(outdir, "LICENSE"));
}

function manifest() {
  const own = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8"));
  const entry = "./react/florin-checkout";
  return {
    name: "@florin/react",
    version: versions.react,
    description: "Florin's card form as a React component",
    license: own.license,
    type: "module",
    sideEffects: false,
    exports: { ".": { types: `${entry}.d.ts`, default: `${entry}.js` } },
    peerDependencies: own.peerDependencies,
  };
}
