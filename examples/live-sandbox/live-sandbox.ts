import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { approveMerchant } from "./approve-merchant.ts";
import { type AdyenAccount, connectAdyen } from "./connect-adyen.ts";
import { newOperatorCredentials, sendWithKey, signIn } from "./http-client.ts";
import { type Service, startFake, startService } from "./start-processes.ts";

const adyen: AdyenAccount = {
  merchantAccount: "FieldwareECOM",
  apiKey: randomBytes(24).toString("base64url"),
  hmacKey: randomBytes(32).toString("hex"),
};

const stopped = new Promise<null>((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(null));
});

/** Functions that stop processes and delete the data, in the order in which the processes and the data were created. */
const closing: (() => Promise<void>)[] = [];

console.log("Starting a fake of Adyen and a new Florin service. This takes up to 20 seconds.");
try {
  const instructions = await Promise.race([start(), stopped]);
  if (instructions !== null) {
    console.log(instructions);
    await stopped;
  }
} finally {
  for (const close of closing.reverse()) await close();
}
// Exits explicitly, because an aborted start may have left a pending request.
process.exit();

async function start(): Promise<string> {
  const dataDirectory = await mkdtemp(join(tmpdir(), "florin-live-sandbox-"));
  closing.push(() => rm(dataDirectory, { recursive: true }));
  const fake = startFake(adyen);
  closing.push(fake.stop);
  const fakeUrl = await fake.ready;
  const florin = startService(dataDirectory, fakeUrl);
  closing.push(florin.stop);
  return setUp(await florin.ready, fakeUrl);
}

/** Sets live mode up as an operator and a merchant do. Returns the text that explains how to pay. */
async function setUp(service: Service, fakeUrl: string): Promise<string> {
  const { base_url: url, account_id: account } = service;
  const token = new URL(service.operator_setup_url).hash.slice(1);
  const operator = await signIn(url, "/auth/v1/operator_set_up", newOperatorCredentials(), {
    token,
    name: "Operator",
  });
  const owner = await signIn(url, "/auth/v1/sign_in", service.dashboard_sign_in);
  await approveMerchant(owner, operator, account);
  const { id } = await connectAdyen(operator, fakeUrl, adyen, account);

  const live = owner.inAccount(account, "live");
  const { secret: key } = await live.send<{ secret: string }>("POST", "/api/v1/api_keys", {
    name: "Live sandbox",
  });
  const { embed_url } = await sendWithKey<{ embed_url: string }>(
    url,
    key,
    "POST",
    "/api/v1/checkout_sessions",
    { amount: 1999, currency: "eur" },
  );
  return [
    "",
    "Live mode is ready. It sends payments to the fake of Adyen and moves no real money.",
    "",
    `  Live secret key  ${key}`,
    `  Pay 19.99 EUR    ${embed_url}`,
    "  Card             4111 1111 1111 1111, 03/30, CVC 737",
    "  With 3-D Secure  4917 6100 0000 0000, 03/30, CVC 737",
    "  Declined         any card with another CVC",
    "",
    `  Connection       ${service.dashboard_url}/operator/connections/${id}`,
    `  Fake of Adyen    ${fakeUrl}/control/payments`,
    "",
    "Sign in to the dashboard with this password. Add the secret to an authenticator app to get the codes:",
    "",
    ...[owner, operator].map(
      (person) => `  ${person.email}, password ${person.password}, secret ${person.totpSecret}`,
    ),
    "",
    "Create another checkout session and open its embed_url:",
    "",
    `  curl ${url}/api/v1/checkout_sessions \\`,
    `    -H 'Authorization: Bearer ${key}' \\`,
    "    -H 'Content-Type: application/json' \\",
    `    -d '{"amount": 1999, "currency": "eur", "three_d_secure": "always"}'`,
    "",
    "Press Ctrl-C to stop. All data is then deleted.",
  ].join("\n");
}
