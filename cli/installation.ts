import { resolve } from "node:path";
import { versions } from "@florin/contract/versions.ts";

/** The root directory of the repository or, if installed from npm, of the npm package. */
export const installation = resolve(import.meta.dirname, "..");

/**
 * True in the npm package, which contains JavaScript, because Node strips no types below `node_modules`. The repository
 * contains TypeScript.
 */
export const isPackage = import.meta.filename.endsWith(".js");

/** Returns the text that `florin --version` prints. */
export function versionText(): string {
  const { service, api, sdk, react, loader } = versions;
  return `florin ${service} (API ${api}, SDK ${sdk}, React component ${react}, loader ${loader}, Node ${process.versions.node})`;
}
