import { parseArgs } from "node:util";
import { startStripeFake } from "./stripe-fake.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "4020" },
    delay: { type: "string", default: "0" },
    account: { type: "string", default: "acct_fake" },
    "secret-key": { type: "string", default: "sk_test_fake" },
    "webhook-secret": { type: "string", default: "whsec_fake" },
    webhook: { type: "string" },
  },
});

const fake = await startStripeFake({
  port: Number(values.port),
  responseDelayMs: Number(values.delay),
  accounts: [
    {
      id: values.account,
      secretKey: values["secret-key"],
      webhookSecret: values["webhook-secret"],
      webhookUrl: values.webhook ?? null,
    },
  ],
});
console.log(`Stripe fake: ${fake.url}/v1 (control: ${fake.url}/control/)`);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void fake.close());
}
