import { writeFileSync } from "node:fs";
import { capitalize } from "../cli/checks/check.ts";
import { allChecks } from "../cli/checks/checks.ts";

/** Prints docs/operating/unsafe-settings.md from the checks in cli/checks/. A test fails while they differ. */
export const unsafeSettingsFile = new URL("../docs/operating/unsafe-settings.md", import.meta.url);

export function unsafeSettingsPage(): string {
  const sections = allChecks.map(({ name, about, outcomes }) => {
    const rows = Object.values(outcomes).map(
      ({ severity, when, means, fix }) =>
        `| ${severity} | ${capitalize(when)} | ${means} | ${fix} |`,
    );
    return `## ${name}\n\n${about}\n\n| | When | What it means | How to fix it |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  return `${head}\n${sections.join("\n")}`;
}

const head = `# Unsafe settings

<!-- Printed by tools/unsafe-settings-page.ts from cli/checks/. Run it with Node after changing a check. -->

\`\`\`sh
npm run florin doctor
\`\`\`

This command checks everything on this page and prints one line for each check: \`ok\`, \`warning\` or \`refused\`, and below it what it means
and how to fix it. It exits with 1 if anything is refused, and with 0 otherwise. \`npm run florin doctor -- --json\` prints the same for programs.
Run it with the settings and as the user of the service ([how](production.md#commands)).

\`florin start\` runs the same checks: it does not start while one refuses, and prints the warnings to standard error.

*Other machines reach the server* when \`HOST\` is not loopback, when \`FLORIN_PUBLIC_URL\` is not a local address, or with \`NODE_ENV=production\`. On
a developer's machine, none of which holds, nearly everything on this page is allowed.
`;

if (import.meta.main) writeFileSync(unsafeSettingsFile, unsafeSettingsPage());
