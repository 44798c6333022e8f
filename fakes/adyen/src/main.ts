import { parseArgs } from "node:util";
import { type AdyenFakeOptions, startAdyenFake } from "./adyen-fake.ts";
import { defaultMerchantAccount } from "./merchant-account.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "4010" },
    delay: { type: "string", default: "0" },
    processing: { type: "string", default: "0" },
    data: { type: "string" },
    "merchant-account": { type: "string", default: defaultMerchantAccount.merchantAccount },
    "api-key": { type: "string", default: defaultMerchantAccount.apiKey },
    "hmac-key": { type: "string", default: defaultMerchantAccount.hmacKey },
    webhook: { type: "string" },
    "checkout-shopper-url": { type: "string" },
    "customer-area-url": { type: "string" },
  },
});

const options: AdyenFakeOptions = {
  port: Number(values.port),
  responseDelayMs: Number(values.delay),
  processingMs: Number(values.processing),
  ...(values.data === undefined ? {} : { dataFile: values.data }),
  ...urlOption("checkoutShopperUrl", values["checkout-shopper-url"]),
  ...urlOption("customerAreaUrl", values["customer-area-url"]),
  accounts: [
    {
      merchantAccount: values["merchant-account"],
      apiKey: values["api-key"],
      hmacKey: values["hmac-key"],
      webhookUrl: values.webhook ?? null,
    },
  ],
};

const fake = await startAdyenFake(options);
console.log(`Adyen fake: ${fake.url}/v72 (control: ${fake.url}/control/)`);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void fake.close());
}

function urlOption(
  name: "checkoutShopperUrl" | "customerAreaUrl",
  url: string | undefined,
): AdyenFakeOptions {
  return url === undefined ? {} : { [name]: url };
}
