import { parseArgs } from "node:util";
import { defaultAccount, startCheckoutComFake } from "./checkout-com-fake.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "4030" },
    delay: { type: "string", default: "0" },
    processing: { type: "string", default: "0" },
    account: { type: "string", default: defaultAccount.id },
    channel: { type: "string", default: defaultAccount.channel },
    "public-key": { type: "string", default: "pk_sbox_fakefakefakefakefakefakefak" },
    "secret-key": { type: "string", default: "sk_sbox_fakefakefakefakefakefakefak" },
    "webhook-secret": { type: "string", default: "fake-signature-key" },
    webhook: { type: "string" },
  },
});

const fake = await startCheckoutComFake({
  port: Number(values.port),
  responseDelayMs: Number(values.delay),
  processingMs: Number(values.processing),
  accounts: [
    {
      id: values.account,
      channels: [values.channel],
      secretKey: values["secret-key"],
      publicKey: values["public-key"],
      webhookSecret: values["webhook-secret"],
      webhookUrl: values.webhook ?? null,
    },
  ],
});
console.log(`Checkout.com fake: ${fake.url} (control: ${fake.url}/control/)`);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void fake.close());
}
