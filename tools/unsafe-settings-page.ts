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
    return `## ${name}\n\n${about}\n\n| | When | Consequence | Fix |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  return `${head}\n${sections.join("\n")}`;
}

const head = `# Unsafe settings

<!-- Printed by tools/unsafe-settings-page.ts from cli/checks/. Run it with Node after changing a check. -->

\`\`\`sh
npm run florin doctor
\`\`\`

This command runs every check on this page. For each it prints \`ok\`, \`warning\` or \`failed\`, with the consequence and the fix. It
exits with 1 if a check fails, and with 0 otherwise. \`npm run florin doctor -- --json\` prints JSON. Run the command
[with the service's settings and as its user](production.md#commands).

\`florin start\` runs the same checks. It does not start if a check fails. It prints warnings to standard error.

*Other machines reach the server* means that \`HOST\` is not loopback, that \`FLORIN_PUBLIC_URL\` is not a local address, or that
\`NODE_ENV\` is \`production\`. On a developer's machine none of these applies, and nearly everything on this page is allowed.
`;

if (import.meta.main) writeFileSync(unsafeSettingsFile, unsafeSettingsPage());
