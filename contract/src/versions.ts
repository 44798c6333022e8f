/**
 * The versions of everything that is released together. Each version follows Semantic Versioning and can change without
 * the others. A test compares these versions with the `package.json` of each workspace.
 */
export const versions = {
  /** The service and the commands, the npm package `florin`. */
  service: "0.1.0",
  /** The npm package `@florin/sdk`. */
  sdk: "0.1.0",
  /** The npm package `@florin/react`. */
  react: "0.1.0",
  /** `embed.js`, which the service serves. */
  loader: "0.1.0",
  /** The API. Its major version is part of the path, `/api/v1`. */
  api: "1",
} as const;
