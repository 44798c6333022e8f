import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { type Config, readConfig } from "../server/src/config.ts";

/** Prints docs/operating/settings.md from server/src/config.ts. A test fails while they differ. */
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

function sentence(words: string): string {
  const text = words.replaceAll("|", "\\|");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const head = `# Settings

<!-- Printed by tools/settings-page.ts from server/src/config.ts. Run it with Node after changing a setting. -->

Florin reads its settings from environment variables at every start. No setting is required. An invalid value, or a misspelled
\`FLORIN_…\` name, stops the start with a message that says what is expected.

| Setting | Default | Meaning |
| --- | --- | --- |`;

const tail = `
- Relative paths are relative to the directory in which Florin is started.
- \`FLORIN_LOG\` accepts \`debug\`, \`info\`, \`warn\`, \`error\` or \`silent\`. Switches accept \`on\` or \`off\`.
- \`florin doctor\` reports [unsafe settings](unsafe-settings.md), with their consequences and fixes.

## The data directory

| Path | Contents | If it is lost |
| --- | --- | --- |
| \`keys/\` | The keys that encrypt cards and webhook secrets and hash API keys | Stored cards cannot be decrypted, and no API key is recognized. **Back it up apart from the database.** |
| \`postgres/\` | The built-in database, if \`DATABASE_URL\` is not set | All data is lost |
| \`demo.json\` | The demo merchants and their keys | The next start creates new ones |
| \`shop/\` | The demo shop's orders | The shop loses its orders |
| \`embed/\` | The card form, built at every start | The next start builds it |
| \`operator-link\` | The link for the first operator, until there is an operator | The next start creates a new one |
| \`ready.json\` | The addresses and keys of the running service, for programs that wait for its start | The next start writes it. It is removed when the service stops |

## Key rotation

\`\`\`sh
npm run florin rotate-keys             # test mode, or live mode with -- --live
# restart all servers, then:
npm run florin rotate-keys -- --finish
\`\`\`

The first command creates a new key-encryption key. It re-encrypts the data keys of all cards, webhook secrets,
authenticator apps and applications while the service runs. Running servers use the old key until they are restarted. The second command re-encrypts what they have added and retires the old
key. Stored responses need the old key's file for one more day. After that only backups need it.

## More than one server

Several processes can run on one Postgres:

- Set the same \`DATABASE_URL\`, \`FLORIN_KEYS\` and \`FLORIN_PUBLIC_URL\` for all of them.
- Give each its own \`PORT\`, \`METRICS_PORT\` and \`FLORIN_DATA\`.
- Set \`FLORIN_DEMO=off\` for all but one. Otherwise each creates its own demo merchants and a new password for the demo user.

If a process dies, another one detects it within seconds and finishes its charges.

Load balancers use \`GET /readyz\` of each process. It returns 200 if the process reaches its database, and 503 if it does not or is
about to stop. Supervisors use \`GET /livez\`, which returns 200 as long as the process responds.

[Production](production.md) describes TLS, backups and alerts.

## Shutdown

On SIGTERM, SIGINT or SIGHUP, the service accepts no new connections, finishes the requests in flight, stops the built-in database and ends.
This takes a second or two, or up to 30 s while a request waits for an acquirer. Allow that time before you kill the process
(Docker: \`--stop-timeout 40\`). A killed process loses nothing, because the next one finishes its work.
`;

if (import.meta.main) {
  mkdirSync(new URL("./", settingsFile), { recursive: true });
  writeFileSync(settingsFile, settingsPage());
}
