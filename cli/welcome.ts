import type { Config } from "@florin/server/config.ts";
import type { Demo } from "@florin/server/demo.ts";
import { browserAddress } from "@florin/server/identity/people/browser-address.ts";
import { firstPort } from "@florin/server/main.ts";
import type { RunningService } from "@florin/server/server-processes.ts";
import { movedFrom } from "./moved-port.ts";
import { operatorLinkFile } from "./running-service.ts";
import { firstShopPort, type Shop } from "./shop.ts";

/** Everything that `florin start` has started. */
export type Running = {
  readonly server: RunningService;
  readonly demo: Demo | null;
  readonly shop: Shop | null;
  /** The URL that makes the first person who opens it an operator. Null when there is an operator. */
  readonly operatorSetupUrl: string | null;
};

/**
 * Returns the link to the demo's inbox, or null if there is no inbox. The secret is in the fragment, which browsers do
 * not send to servers.
 */
export function inboxUrl({ url, inboxSecret }: RunningService): string | null {
  return inboxSecret && `${browserAddress(url)}/dashboard/inbox#${inboxSecret}`;
}

/**
 * Returns the text to print after a start: URLs, keys, an example call and test cards. The operator's link is included
 * only if the output is a terminal. Otherwise the text contains the path of the file with the link.
 */
export function welcome(
  config: Config,
  { server, demo, shop, operatorSetupUrl }: Running,
  { terminal }: { readonly terminal: boolean },
): string {
  // One host name for all URLs. Passkeys in the dashboard require `localhost` instead of an IP address. The docs
  // recognize a signed-in reader only under the dashboard's host name.
  const url = browserAddress(server.url);
  const lines = ["", "Florin is ready.", "", `  API          ${url}/api/v1`];
  lines.push(`  Dashboard    ${url}/dashboard`);
  lines.push(`  Docs         ${url}/docs`);
  lines.push(`  Card form    ${url}/embed.js`);
  if (shop) lines.push(`  Demo shop    ${shop.url}`);
  if (server.metricsUrl) lines.push(`  Metrics      ${server.metricsUrl}`);
  lines.push(`  Data         ${config.databaseUrl ? "DATABASE_URL" : config.dataDirectory}`);
  const moved = [
    movedFrom(firstPort, config.port, server.url, "Florin", "PORT"),
    shop && movedFrom(firstShopPort, config.shopPort, shop.url, "the demo shop", "SHOP_PORT"),
  ].filter((line) => line !== null);
  if (moved.length > 0) lines.push("", ...moved);
  if (operatorSetupUrl) {
    const link = terminal ? "this link" : "the link in this file, which only this user can read,";
    lines.push(
      "",
      `This service has no operator yet. The first person to open ${link} becomes one:`,
    );
    lines.push("", `  ${terminal ? operatorSetupUrl : operatorLinkFile(config)}`);
  }
  if (!demo && config.smtpUrl === null) {
    lines.push(
      "",
      "Florin cannot send mail, so signing up and joining a team are not possible. Set FLORIN_SMTP_URL.",
    );
  }
  if (!demo) return lines.join("\n");
  const inbox = inboxUrl(server);
  return [
    ...lines,
    ...(inbox
      ? ["", "The demo sends no mail. Read its messages in the demo inbox:", "", `  ${inbox}`]
      : []),
    "",
    `  Test secret key  ${demo.test_secret_key}`,
    `  Demo shop's webhook secret  ${demo.webhook_secret}`,
    `  Dashboard        ${demo.dashboard_sign_in.email}, password ${demo.dashboard_sign_in.password}`,
    "",
    "Charge a test card:",
    "",
    `  curl ${url}/api/v1/charges \\`,
    `    -H 'Authorization: Bearer ${demo.test_secret_key}' \\`,
    "    -H 'Content-Type: application/json' \\",
    `    -H "Idempotency-Key: $(date +%s)" \\`,
    `    -d '{"amount": 1999, "currency": "usd", "payment_method_id": "pm_card_visa"}'`,
    "",
    "Test cards, with any future expiry date, any CVC and any name:",
    "",
    "  4242 4242 4242 4242   succeeds",
    "  4000 0000 0000 9995   declined, insufficient funds",
    "  4000 0027 6000 3184   requires 3-D Secure",
    "",
    "Press Ctrl-C to stop.",
  ].join("\n");
}
