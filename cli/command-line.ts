import { existsSync } from "node:fs";
import { join } from "node:path";
import { quoteForShell } from "@florin/server/core/quote-for-shell.ts";
import { installation, isPackage } from "./installation.ts";

/**
 * Returns the command line that runs a command of `florin` on this machine, for advice that can be copied. In a clone of
 * the repository, this is `npm run florin`.
 *
 * In the package, it begins with the path of the installed command. `npx florin` works only in the folder of the
 * installation. In any other folder, npx would download and run another package with this name.
 */
export function commandLine(
  command: string,
  options = "",
  at = { installation, isPackage },
): string {
  if (!at.isPackage) return `npm run florin ${command}${options && ` -- ${options}`}`;
  const installed = join(at.installation, "../.bin/florin");
  const florin = existsSync(installed) ? quoteForShell(installed) : "florin";
  return `${florin} ${command}${options && ` ${options}`}`;
}
