/**
 * Returns the command line that runs a command of `florin` on this machine, for advice that can be copied: `npm run
 * florin` in a clone of the repository, whose files are TypeScript, and `npx florin` where the package is installed.
 */
export function commandLine(command: string, options = ""): string {
  const isClone = import.meta.filename.endsWith(".ts");
  if (isClone) return `npm run florin ${command}${options && ` -- ${options}`}`;
  return `npx florin ${command}${options && ` ${options}`}`;
}
