import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "@florin/contract/operator-connections.ts";
import { type Person, sendRequest } from "./http-client.ts";

const reason = "Set up by the live sandbox.";

/** The merchant account in the fake, with the secrets that an operator reads in Adyen's Customer Area. */
export type AdyenAccount = {
  readonly merchantAccount: string;
  readonly apiKey: string;
  readonly hmacKey: string;
};

/** Connects the merchant to the fake of Adyen with the steps of docs/operating/adyen.md. */
export async function connectAdyen(
  operator: Person,
  fakeUrl: string,
  { merchantAccount, apiKey, hmacKey }: AdyenAccount,
  merchant: string,
): Promise<Connection> {
  const created = await operator.send<Connection>("POST", "/operator/v1/connections", {
    processor: "adyen",
    name: "Fake of Adyen",
    environment: "sandbox",
    settings: { merchant_account: merchantAccount },
    reason,
  });
  const path = `/operator/v1/connections/${created.id}`;
  const read = () => operator.send<Connection>("GET", path);
  /** Sends a change with the current version of the connection. */
  const change = async (method: string, action: string, more: object) => {
    const { version } = await read();
    return operator.send<Connection>(method, `${path}/${action}`, { version, ...more });
  };

  await change("PUT", "secrets", { api_key: apiKey, hmac_key: hmacKey, reason });
  const { test } = await change("POST", "test", {});
  if (test.problem !== null) throw new Error(`The connection test failed: ${test.problem}`);

  const control = `${fakeUrl}/control/accounts/${merchantAccount}`;
  const webhookUrl = created.webhook_url;
  await sendRequest(control, { method: "PUT", body: { webhookUrl } });
  await sendRequest(`${control}/test_notification`, { method: "POST" });
  while ((await read()).notification === null) await sleep(100);

  const connection = await change("POST", "activate", { reason });
  await operator.send("POST", "/operator/v1/assignments", {
    account: merchant,
    connection: connection.id,
    merchant_account: merchantAccount,
    mcc: "5251",
    reason,
  });
  return connection;
}
