/** A process that starts the built-in Postgres, prints its URL and process id, and never exits. */
import { startEmbeddedPostgres } from "./embedded.ts";

const directory = process.argv[2];
if (!directory) throw new Error("Usage: run-embedded.fixture.ts <directory>");
const { url, pid } = await startEmbeddedPostgres({ directory, log: () => {} });
console.log(JSON.stringify({ url, pid }));
setInterval(() => {}, 1_000_000);
