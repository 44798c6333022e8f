import type { IncomingMessage, ServerResponse } from "node:http";
import { runSharedCommand } from "@florin/shared-fake/control-commands.ts";
import { ControlError, handleControl, matching } from "@florin/shared-fake/control-request.ts";
import { isObject, isOneOf } from "@florin/shared-fake/json-object.ts";
import { readWalletCard } from "@florin/shared-fake/wallet-tokens.ts";
import type { Api } from "./api.ts";
import { endDispute, openDispute } from "./disputes.ts";
import { faultKinds } from "./faults.ts";
import { availableToCapture, isApproved } from "./payment.ts";
import { payOut } from "./payouts.ts";
import type { Platform } from "./platform.ts";
import type {
  Account,
  AccountUpdate,
  Channel,
  Dispute,
  DisputeStatus,
  IssuerResponse,
} from "./records.ts";
import { responseOf } from "./test-values.ts";

type Body = Readonly<Record<string, unknown>>;

/** Handles a request to the control API. */
export function handleControlRequest(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
): Promise<void> {
  return handleControl(request, response, bytes, async (command, query, body) => {
    const result = await run(api, command, query, body);
    api.delivery.dispatchCaused();
    return result;
  });
}

async function run(
  api: Api,
  command: string,
  query: URLSearchParams,
  body: Body,
): Promise<unknown> {
  const shared = await runSharedCommand(api, faultKinds, command, query, body);
  if (shared !== undefined) return shared;
  const { platform } = api;
  switch (command) {
    case "GET channels":
      return { channels: matching(platform.channels.values(), query) };
    case "GET payments":
      return { payments: matching(paymentsOf(platform), query) };
    case "GET actions":
      return { actions: matching(platform.actions.values(), query) };
    case "GET disputes":
      return { disputes: matching(platform.disputes.values(), query) };
    case "GET ledger":
      return { movements: matching(platform.movements.values(), query) };
    case "GET payouts":
      return { payouts: matching(platform.payouts.values(), query) };
    case "GET reports":
      return { reports: matching(platform.reports.values(), query) };
    case "POST wallet_tokens":
      return { token: platform.walletTokens.create(readWalletCard(body)) };
    case "POST responses":
      return { response: setNextResponse(platform, body) };
    case "POST disputes":
      return { dispute: newDispute(platform, body) };
    case "POST payouts":
      return { payouts: payOut(platform, platform.account(String(body.account))) };
  }
  const account = /^PUT accounts\/(cli_\w+)$/.exec(command)?.[1];
  if (account) return { account: putAccount(platform, account, body) };
  const channel = /^PUT channels\/(pc_\w+)$/.exec(command)?.[1];
  if (channel) return { channel: putChannel(platform, channel, String(body.account)) };
  const tested = /^POST accounts\/(cli_\w+)\/test_event$/.exec(command)?.[1];
  if (tested) return { delivered: await sendTestEvent(api, tested) };
  const closed = /^POST disputes\/(dsp_\w+)\/close$/.exec(command)?.[1];
  if (closed) return { dispute: closeDispute(platform, closed, body) };
  throw new ControlError(`${command} does not exist. The README of the fake lists the commands.`);
}

/** Returns the payments with their held, captured and refunded amounts. */
function paymentsOf(platform: Platform) {
  return [...platform.payments.values()].map((payment) => ({
    ...payment,
    approved: isApproved(payment),
    heldAmount: availableToCapture(payment),
    capturedAmount: payment.captured,
    refundedAmount: payment.refunded,
  }));
}

/** Sets the response of the issuer to the next payment of the channel. */
function setNextResponse(platform: Platform, body: Body): IssuerResponse {
  const { channel, code, merchantAdviceCode } = body;
  if (typeof channel !== "string" || !/^\d{3}\w{2}$/.test(String(code))) {
    throw new ControlError(
      "channel must be an ID, and code must be a response code such as 20051.",
    );
  }
  const advice = typeof merchantAdviceCode === "string" ? merchantAdviceCode : null;
  const response = responseOf(String(code), advice, accountUpdateOf(body));
  platform.nextResponses.set(channel, response);
  return response;
}

/** Returns the update of the card data in the body of a command, such as `{"status": "card_closed"}`. */
function accountUpdateOf({ accountUpdate }: Body): AccountUpdate | null {
  if (!isObject(accountUpdate)) return null;
  const { status, expiryMonth, expiryYear } = accountUpdate;
  return {
    status: String(status),
    expiryMonth: typeof expiryMonth === "number" ? expiryMonth : null,
    expiryYear: typeof expiryYear === "number" ? expiryYear : null,
  };
}

/** Creates or changes an account and creates its channels. */
export function putAccount(platform: Platform, id: string, changes: Body): Account {
  const { channels, ...fields } = changes;
  const account: Account = {
    entity: `ent_${id.slice(4).padEnd(26, "a").slice(0, 26)}`,
    secretKey: "sk_sbox_fakefakefakefakefakefakefak",
    publicKey: "pk_sbox_fakefakefakefakefakefakefak",
    webhookSecret: "fake-signature-key",
    webhookUrl: null,
    holding: null,
    upgradesSoftDeclines: true,
    ...platform.accounts.get(id),
    ...(fields as Partial<Account>),
    id,
  };
  platform.accounts.set(id, account);
  if (Array.isArray(channels)) for (const one of channels) putChannel(platform, String(one), id);
  return account;
}

function putChannel(platform: Platform, id: string, account: string): Channel {
  return platform.put<Channel>(platform.channels, { id, account: platform.account(account).id });
}

/** Sends a test event, which concerns no payment. */
async function sendTestEvent({ platform, delivery }: Api, account: string): Promise<boolean> {
  const subject = platform.newId("wf");
  platform.emit({ account, channel: null, subject }, "test_event", { id: subject });
  const [event = ""] = platform.outbox.takeCaused();
  return delivery.send(event);
}

function newDispute(platform: Platform, body: Body): Dispute {
  const payment = platform.payments.get(String(body.payment));
  if (!payment || payment.captured === 0) {
    throw new ControlError("payment must be the ID of a captured payment.");
  }
  return openDispute(platform, payment, {
    category: typeof body.category === "string" ? body.category : "fraudulent",
    reasonCode: typeof body.reasonCode === "string" ? body.reasonCode : "10.4",
    amount: Number(body.amount ?? payment.captured),
  });
}

function closeDispute(platform: Platform, id: string, body: Body): Dispute {
  const dispute = platform.disputes.get(id);
  const statuses: readonly DisputeStatus[] = [
    "won",
    "lost",
    "canceled",
    "expired",
    "resolved",
    "arbitration_lost",
  ];
  if (!dispute || !isOneOf(statuses, body.status)) {
    throw new ControlError(
      `The dispute must exist, and status must be one of ${statuses.join(", ")}.`,
    );
  }
  return endDispute(platform, dispute, body.status);
}
