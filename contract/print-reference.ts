import { mkdirSync, writeFileSync } from "node:fs";
import { declineReference, errorReference } from "./src/reference-tables.ts";

/** Prints docs/reference/errors.md and declines.md; a test fails while they differ from the tables. */
const folder = new URL("../docs/reference/", import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL("errors.md", folder), errorReference());
writeFileSync(new URL("declines.md", folder), declineReference());
