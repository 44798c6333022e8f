/** The placeholder for a secret key. Keys are stored as hashes, so an existing one cannot be shown. */
export const keyPlaceholder = "sk_test_…";

export type Snippet = { readonly key: string; readonly label: string; readonly text: string };

/** The first payment in several languages. Each example runs unchanged once it contains the key. */
export function firstCharge(service: string, key: string): readonly Snippet[] {
  return [
    {
      key: "curl",
      label: "curl",
      text: [
        `curl ${service}/api/v1/charges \\`,
        `  -H 'Authorization: Bearer ${key}' \\`,
        "  -H 'Content-Type: application/json' \\",
        "  -H 'Idempotency-Key: first-payment' \\",
        `  -d '{"amount": 1999, "currency": "usd", "payment_method_id": "pm_card_visa"}'`,
      ].join("\n"),
    },
    {
      key: "node",
      label: "Node.js",
      text: [
        'import { Florin } from "@florin/sdk";',
        "",
        `const florin = new Florin("${key}", { baseUrl: "${service}" });`,
        "",
        "const charge = await florin.charges.create(",
        '  { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" },',
        '  { idempotencyKey: "first-payment" },',
        ");",
        "console.log(charge.status);",
      ].join("\n"),
    },
  ];
}

export function createSession(service: string, key: string): readonly Snippet[] {
  return [
    {
      key: "curl",
      label: "curl",
      text: [
        `curl ${service}/api/v1/checkout_sessions \\`,
        `  -H 'Authorization: Bearer ${key}' \\`,
        "  -H 'Content-Type: application/json' \\",
        `  -d '{"amount": 5600, "currency": "usd", "client_reference_id": "order-7"}'`,
      ].join("\n"),
    },
    {
      key: "node",
      label: "Node.js",
      text: [
        "const { embed_url } = await florin.checkoutSessions.create(",
        '  { amount: 5600, currency: "usd", client_reference_id: "order-7" },',
        '  { idempotencyKey: "order-7" },',
        ");",
      ].join("\n"),
    },
  ];
}

export function mountForm(service: string, appearance: Readonly<Record<string, string>>): string {
  const tokens = Object.entries(appearance).map(
    ([name, value]) => `      ${name}: ${JSON.stringify(value)},`,
  );
  return [
    '<div id="pay"></div>',
    `<script src="${service}/embed.js"></script>`,
    "<script>",
    '  Florin.mount("#pay", {',
    "    embedUrl, // from your server",
    ...(tokens.length > 0 ? ["    appearance: {", ...tokens, "    },"] : []),
    '    onComplete: () => location.replace("/thanks"),',
    "  });",
    "</script>",
  ].join("\n");
}

export const verifyWebhook = [
  'import { verify } from "@florin/sdk/webhooks";',
  "",
  "export default async function webhooks(request) {",
  "  const event = await verify(request, process.env.FLORIN_WEBHOOK_SECRET);",
  '  if (event.type === "payment.succeeded") await ship(event.data.object);',
  "  return new Response(null, { status: 204 });",
  "}",
].join("\n");

/**
 * Returns the command that forwards events to a server that is not reachable from the internet. The command runs in a
 * clone of the repository (docs/guides/webhooks.md). Without `--url`, it connects to the service on the same machine.
 */
export function listen(service: string, key: string): string {
  const isLocal = /^(?:localhost|127\.0\.0\.1)$/.test(new URL(service).hostname);
  const command = `npm run florin listen -- --forward-to http://localhost:8080/webhooks --key ${key}`;
  return isLocal ? command : `${command} --url ${service}`;
}
