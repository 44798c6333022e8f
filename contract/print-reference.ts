import { mkdirSync, writeFileSync } from "node:fs";
import {
  currencyReference,
  declineReference,
  errorReference,
  eventReference,
  permissionReference,
} from "./src/reference-tables.ts";

/**
 * Writes docs/reference/errors.md, declines.md, events.md, permissions.md and currencies.md. A test fails if the files
 * differ from the tables in the code.
 */
const folder = new URL("../docs/reference/", import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL("errors.md", folder), errorReference());
writeFileSync(new URL("declines.md", folder), declineReference());
writeFileSync(new URL("events.md", folder), eventReference());
writeFileSync(new URL("currencies.md", folder), currencyReference());
writeFileSync(new URL("permissions.md", folder), permissionReference());
