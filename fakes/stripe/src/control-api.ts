import type { IncomingMessage, ServerResponse } from "node:http";
import { runSharedCommand } from "@florin/shared-fake/control-commands.ts";
import { ControlError, handleControl, matching } from "@florin/shared-fake/control-request.ts";
import { isOneOf } from "@florin/shared-fake/json-object.ts";
import type { Api } from "./api.ts";
import { end, escalate, openDispute } from "./disputes.ts";
import { faultKinds } from "./faults.ts";
import { failPayout, payOut } from "./payouts.ts";
import type { Platform } from "./platform.ts";
import type { Account, Dispute, DisputeStatus } from "./records.ts";
import { failRefund } from "./refunds.ts";
import { createToken } from "./tokens.ts";

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
    case "GET payments":
      return { payments: matching(paymentsOf(platform), query) };
    case "GET refunds":
      return { refunds: matching(platform.refunds.values(), query) };
    case "GET disputes":
      return { disputes: matching(platform.disputes.values(), query) };
    case "GET ledger":
      return { transactions: matching(platform.balanceTransactions.values(), query) };
    case "POST disputes":
      return { dispute: newDispute(platform, body) };
    case "POST wallet_tokens":
      return { token: createToken(platform, body) };
    case "GET tokens":
      return { tokens: matching(platform.tokens.values(), query) };
    case "POST payouts":
      return { payouts: payOut(platform, platform.account(String(body.account))) };
  }
  const account = /^PUT accounts\/(acct_\w+)$/.exec(command)?.[1];
  if (account) return { account: changeAccount(platform, account, body) };
  const tested = /^POST accounts\/(acct_\w+)\/test_event$/.exec(command)?.[1];
  if (tested) return { delivered: await sendTestEvent(api, tested) };
  const closed = /^POST disputes\/(du_\w+)\/close$/.exec(command)?.[1];
  if (closed) return { dispute: closeDispute(platform, closed, body) };
  const escalated = /^POST disputes\/(du_\w+)\/escalate$/.exec(command)?.[1];
  if (escalated) return { dispute: escalateDispute(platform, escalated) };
  const failed = /^POST refunds\/(re_\w+)\/fail$/.exec(command)?.[1];
  if (failed) return { failed: failRefund(platform, failed) };
  const returned = /^POST payouts\/(po_\w+)\/fail$/.exec(command)?.[1];
  if (returned) return { failed: failPayout(platform, returned) };
  throw new ControlError(`${command} does not exist. The README of the fake lists the commands.`);
}

/** Returns the payments with their held, captured and refunded amounts. */
function paymentsOf(platform: Platform) {
  return [...platform.intents.values()].map((intent) => {
    const charge = platform.charges.get(intent.latestCharge ?? "");
    return {
      id: intent.id,
      account: intent.account,
      reference: intent.metadata.florin_charge ?? null,
      status: intent.status,
      currency: intent.currency,
      amount: intent.amount,
      heldAmount: intent.status === "requires_capture" ? intent.amount : 0,
      capturedAmount: charge?.amountCaptured ?? 0,
      refundedAmount: charge?.amountRefunded ?? 0,
      charge: intent.latestCharge,
      metadata: intent.metadata,
      setupFutureUsage: intent.setupFutureUsage,
      offSession: intent.offSession,
      networkTransactionId: intent.networkTransactionId,
      ownNetworkTransactionId: charge?.networkTransactionId ?? null,
      statementDescriptorSuffix: intent.statementDescriptorSuffix,
      authentication: charge?.authentication ?? null,
      wallet: intent.card?.wallet?.type ?? charge?.card.wallet?.type ?? null,
    };
  });
}

function changeAccount(platform: Platform, id: string, changes: Body): Account {
  const account: Account = {
    platform: null,
    secretKey: "sk_test_fake",
    webhookSecret: "whsec_fake",
    previousWebhookSecret: null,
    webhookUrl: null,
    livemode: false,
    ...platform.accounts.get(id),
    ...(changes as Partial<Account>),
    id,
  };
  platform.accounts.set(id, account);
  return account;
}

/** Sends a test event, which concerns no payment, as `stripe trigger` or the Workbench does. */
async function sendTestEvent({ platform, delivery }: Api, id: string): Promise<boolean> {
  const object = { id: platform.newId("prod"), object: "product", livemode: false };
  platform.emit(id, "product.created", object, null);
  const [event = ""] = platform.outbox.takeCaused();
  return delivery.send(event);
}

function newDispute(platform: Platform, body: Body): Dispute {
  const intent = platform.intents.get(String(body.payment));
  const charge = platform.charges.get(intent?.latestCharge ?? "");
  if (!intent || !charge?.captured) {
    throw new ControlError("payment must be the ID of a captured PaymentIntent.");
  }
  return openDispute({ platform, account: platform.account(intent.account) }, charge, {
    kind: body.kind === "inquiry" ? "inquiry" : "chargeback",
    reason: typeof body.reason === "string" ? body.reason : "fraudulent",
    amount: Number(body.amount ?? charge.amountCaptured),
    networkReasonCode: typeof body.networkReasonCode === "string" ? body.networkReasonCode : null,
  });
}

function escalateDispute(platform: Platform, id: string): Dispute {
  const dispute = platform.disputes.get(id);
  if (!dispute?.status.startsWith("warning_") || dispute.status === "warning_closed") {
    throw new ControlError("The dispute must be an open inquiry.");
  }
  return escalate({ platform, account: platform.account(dispute.account) }, dispute);
}

function closeDispute(platform: Platform, id: string, body: Body): Dispute {
  const dispute = platform.disputes.get(id);
  const statuses: readonly DisputeStatus[] = ["won", "lost", "warning_closed"];
  if (!dispute || !isOneOf(statuses, body.status)) {
    throw new ControlError(
      `The dispute must exist, and status must be one of ${statuses.join(", ")}.`,
    );
  }
  return end({ platform, account: platform.account(dispute.account) }, dispute, body.status);
}
