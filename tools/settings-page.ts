import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { type Config, readConfig } from "../server/src/config.ts";

/** Prints docs/operating/settings.md from server/src/config.ts; a test fails while they differ. */
const configFile = new URL("../server/src/config.ts", import.meta.url);
export const settingsFile = new URL("../docs/operating/settings.md", import.meta.url);

/** Each setting in config.ts is one line with its environment variable and meaning, above its field. */
const setting = /\/\*\* `([A-Z_]+)`: (.+?) \*\/\n {2}readonly (\w+):/g;

export function settingsPage(): string {
  const source = readFileSync(configFile, "utf8");
  const defaults = readConfig({});
  const rows = [...source.matchAll(setting)].map(([, name, words, field]) => {
    const value = defaults[field as keyof Config];
    return `| \`${name}\` | ${shown(value)} | ${sentence(words as string)} |`;
  });
  return `${head}\n${rows.join("\n")}\n${tail}`;
}

function shown(value: Config[keyof Config]): string {
  if (value === null) return "not set";
  if (typeof value === "boolean") return value ? "`on`" : "`off`";
  // A list of networks, whose default is shown as `on`.
  if (Array.isArray(value)) return value.length > 0 ? "`on`" : "`off`";
  const isPath = typeof value === "string" && value.startsWith("/");
  return `\`${isPath ? relative(process.cwd(), value) : value}\``;
}

/** In the code null means not set, or `off`. */
function sentence(words: string): string {
  const text = words
    .replace("null: `off`", "`off` for no limit")
    .replaceAll("null: ", "not set: ")
    .replaceAll("|", "\\|");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const head = `# Settings

<!-- Printed by tools/settings-page.ts from server/src/config.ts; run it with Node after changing a setting. -->

Florin reads its settings from the environment when it starts, and only then. A wrong one is refused with a sentence
that says what was expected, and so is a \`FLORIN_…\` with a letter wrong; none has to be set.

| Setting | Default | What it is |
| --- | --- | --- |`;

const tail = `
Relative paths count from the directory in which Florin is started. \`FLORIN_LOG\` takes \`debug\`, \`info\`, \`warn\`,
\`error\` or \`silent\`; what can be switched takes \`on\` or \`off\`; a port of \`0\` takes any that is free. \`florin doctor\` prints which settings
are [unsafe](unsafe-settings.md), what that means and how to fix it.

## What lies in the data directory

| Path | What it is | Losing it |
| --- | --- | --- |
| \`keys/\` | The keys that seal cards and webhook secrets, and hash API keys | The stored cards cannot be opened and no key is known any more. **Back it up apart from the database.** |
| \`postgres/\` | The built-in database, when \`DATABASE_URL\` is not set | Everything that happened |
| \`demo.json\` | The demo merchants and their keys | They are made anew at the next start |
| \`shop/\` | The demo shop's orders | The shop forgets them |
| \`embed/\` | The card form, built at every start | Nothing |
| \`operator-link\` | The link that makes its reader the first operator, until there is one | The next start writes another |
| \`ready.json\` | Addresses and keys of the running service, for programs that wait for it | Written when it is ready, removed when it ends |

\`npm run florin rotate-keys\` (with \`-- --live\` for live mode's) makes a new key-encryption key and moves every card, webhook secret,
authenticator app and application under it, while the service runs. Servers that run go on with the old key until they are started
again; after that \`npm run florin rotate-keys -- --rest\` moves what they have added and retires the old key. The old key's file is needed for one more day, for
the secrets in kept answers, and then by nothing but backups.

## More than one server

Several processes may run on one Postgres: set the same \`DATABASE_URL\`, share \`FLORIN_KEYS\`, give each its own \`PORT\`,
\`METRICS_PORT\` and \`FLORIN_DATA\`, and all of them the same \`FLORIN_PUBLIC_URL\`; turn the demo off on all but one (\`FLORIN_DEMO=off\`), or each makes demo
merchants of its own and a new password for the demo's person. Each notices within seconds when another dies, and
finishes the charges it had begun.

How to run them for others, with TLS, backups and alerts, is in [production](production.md).

A balancer asks each process's \`GET /readyz\`: 200 when it reaches its database, 503 when it does not or is about to end. \`GET /livez\`
is 200 as long as the process answers at all; who restarts it otherwise asks there.

SIGTERM, SIGINT and SIGHUP all mean: take no new connections, answer what is in flight, stop the database and end. That takes a
second or two, and as long as an acquirer is being waited for up to 30 s; give it that long before anything harder (Docker's
\`--stop-timeout 40\`). A process that is killed loses nothing either: what it had begun is finished by the next one.
`;

if (import.meta.main) {
  mkdirSync(new URL("./", settingsFile), { recursive: true });
  writeFileSync(settingsFile, settingsPage());
}
