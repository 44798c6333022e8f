import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  ControlError,
  countField,
  handleControl,
  matching,
} from "@florin/shared-fake/control-request.ts";
import { readFault } from "@florin/shared-fake/injected-faults.ts";
import { isOneOf, type JsonObject } from "@florin/shared-fake/json-object.ts";
import { readWalletCard } from "@florin/shared-fake/wallet-tokens.ts";
import { checkLedger, isBalanced } from "./check-ledger.ts";
import { closeBatch } from "./close-batch.ts";
import { type Dispute, disputeStages } from "./dispute.ts";
import { recapture } from "./execute-modification.ts";
import { faultKinds, type PendingFault } from "./faults.ts";
import { defaultMerchantAccount, type MerchantAccount } from "./merchant-account.ts";
import type { Notification } from "./notification.ts";
import { bodyOf } from "./notification-body.ts";
import { type AccountUpdate, accountUpdateStatuses } from "./payment.ts";
import type { Platform } from "./platform.ts";
import { recordEvent } from "./record-event.ts";
import { applyDisputeEvent, laterEvents, openDispute, problemOf } from "./run-dispute.ts";
import type { Api } from "./send-response.ts";
import type { SettlementBatch } from "./settlement-batch.ts";

/** Handles a request to the control API. */
export function handleControlRequest(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
): Promise<void> {
  return handleControl(request, response, bytes, async (command, query, body) => {
    const result = await run(api, command, query, body);
    api.platform.state.commit();
    return result;
  });
}

async function run(
  api: Api,
  command: string,
  query: URLSearchParams,
  body: JsonObject,
): Promise<unknown> {
  const { platform, delivery } = api;
  const { state, clock } = platform;
  switch (command) {
    case "GET accounts":
      return { accounts: [...state.accounts.values()] };
    case "GET payments":
      return { payments: matching(state.payments.values(), query) };
    case "GET payments/count":
      return { count: state.payments.size };
    case "GET requests":
      return { requests: matching(platform.requests.newest(), query) };
    case "GET modifications":
      return { modifications: matching(state.modifications.values(), query) };
    case "GET notifications":
      return { notifications: matching([...state.notifications.values()].map(shownOf), query) };
    case "GET ledger":
      return ledgerOf(platform, query);
    case "GET ledger/check":
      return checkLedger(state);
    case "GET faults":
      return { faults: [...state.faults.values()] };
    case "POST faults":
      return addFault(platform, body);
    case "DELETE faults":
      for (const id of state.faults.keys()) state.remove("faults", id);
      return { faults: [] };
    case "GET disputes":
      return { disputes: matching(state.disputes.values(), query) };
    case "POST disputes":
      return newDispute(api, body);
    case "POST wallet_tokens":
      return { token: platform.walletTokens.create(readWalletCard(body)) };
    case "POST account_updates":
      return setAccountUpdate(platform, body);
    case "GET settlements":
      return { settlements: matching(state.batches.values(), query) };
    case "POST settlements":
      return newSettlement(api, body);
    case "GET clock":
      return { now: new Date(clock.nowMs()).toISOString() };
    case "POST clock":
      return advanceClock(platform, body);
  }
  const account = /^PUT accounts\/([\w-]+)$/.exec(command);
  if (account) return changeAccount(platform, account[1] as string, body);
  const rotated = /^POST accounts\/([\w-]+)\/hmac_key$/.exec(command);
  if (rotated) return rotateHmacKey(platform, rotated[1] as string);
  const tested = /^POST accounts\/([\w-]+)\/test_notification$/.exec(command);
  if (tested) return sendTestNotification(api, tested[1] as string);
  const held = /^POST accounts\/([\w-]+)\/send_held$/.exec(command);
  if (held) return sendHeld(api, held[1] as string);
  const recaptured = /^POST modifications\/(\w+)\/recapture$/.exec(command);
  if (recaptured) return captureAgain(api, recaptured[1] as string);
  const event = /^POST disputes\/(\w+)\/events$/.exec(command);
  if (event) return newDisputeEvent(api, event[1] as string, body);
  const sent = /^POST notifications\/(\w+)\/send$/.exec(command);
  if (sent) return { delivered: await delivery.send(sent[1] as string) };
  throw new ControlError(`${command} does not exist. The README of the fake lists the commands.`);
}

/** Returns a notification as the control API shows it. */
function shownOf(notification: Notification): object {
  const { facts, hmacKey: _, ...more } = notification;
  const { merchantAccount, eventCode, pspReference, merchantReference } = facts;
  const names = { merchantAccount, eventCode, pspReference, merchantReference };
  return { ...more, ...names, body: bodyOf(notification) };
}

/** The maximum number of transfers in a response without `since`. The response contains the newest ones. */
const maxTransfers = 10_000;

function ledgerOf({ state }: Platform, query: URLSearchParams): object {
  const balances = state.ledger.balances();
  const payment = query.get("payment");
  const newest = Math.max(0, state.ledger.length - maxTransfers);
  return {
    isBalanced: isBalanced(balances),
    length: state.ledger.length,
    balances,
    transfers:
      payment === null
        ? state.ledger.since(Number(query.get("since") ?? newest))
        : state.ledger.ofPayment(payment),
  };
}

function addFault(platform: Platform, body: JsonObject): { fault: PendingFault } {
  const added = readFault(faultKinds, `flt_${platform.nextNumber()}`, body);
  platform.state.put("faults", added.id, added);
  return { fault: added };
}

/**
 * Sets the card data that the Real Time Account Updater finds for the next payment in which the cardholder is absent.
 */
function setAccountUpdate(platform: Platform, body: JsonObject): { update: AccountUpdate } {
  const { merchantAccount, status, expiryDate } = body;
  if (typeof merchantAccount !== "string" || !isOneOf(accountUpdateStatuses, status)) {
    throw new ControlError(
      `merchantAccount must be a name, and status must be one of ${accountUpdateStatuses.join(", ")}.`,
    );
  }
  const update = { status, expiryDate: typeof expiryDate === "string" ? expiryDate : null };
  platform.setAccountUpdate(merchantAccount, update);
  return { update };
}

/** Sends a test event, which concerns no payment, as the button "Test configuration" of the Customer Area does. */
async function sendTestNotification(
  { platform, delivery }: Api,
  merchantAccount: string,
): Promise<{ delivered: boolean }> {
  if (!platform.state.accounts.has(merchantAccount)) {
    throw new ControlError(`The merchant account ${merchantAccount} does not exist.`);
  }
  const facts = {
    merchantAccount,
    eventCode: "AUTHORISATION" as const,
    pspReference: "test_AUTHORISATION_1",
    originalReference: null,
    merchantReference: "testMerchantRef1",
    amount: { currency: "EUR", value: 1130 },
    success: true,
    reason: "1234:7777:12/2030",
    paymentMethod: "visa",
    operations: null,
    additionalData: {},
  };
  const [id = ""] = recordEvent(platform, facts, null);
  return { delivered: await delivery.send(id) };
}

/**
 * Queues the held notifications of a merchant account, oldest first. The notifications are then retried like all
 * others.
 */
function sendHeld({ platform, delivery }: Api, merchantAccount: string): { sent: number } {
  const { state, clock } = platform;
  const held = [...state.notifications.values()].filter(
    (notification) =>
      notification.facts.merchantAccount === merchantAccount && notification.state.kind === "held",
  );
  const dueAt = clock.nowMs();
  for (const notification of held) {
    state.put("notifications", notification.id, {
      ...notification,
      state: { kind: "pending", dueAt },
    });
  }
  delivery.dispatch(held.map(({ id }) => id));
  return { sent: held.length };
}

function captureAgain({ platform, delivery }: Api, pspReference: string): object {
  const notifications = recapture(platform, pspReference);
  if (notifications === null) throw new ControlError(`${pspReference} is not a failed capture.`);
  platform.state.commit();
  delivery.dispatch(notifications);
  return { modification: platform.state.modifications.get(pspReference) };
}

/** Opens a dispute of the payment with the given `pspReference`. */
function newDispute({ platform, delivery }: Api, body: JsonObject): { dispute: Dispute } {
  const payment = platform.state.payments.get(String(body.payment));
  if (!payment) throw new ControlError("payment must be the pspReference of a payment.");
  const stage = body.stage ?? "chargeback";
  if (!isOneOf(disputeStages, stage)) {
    throw new ControlError(`stage must be one of ${disputeStages.join(", ")}.`);
  }
  const value = countField(body, "value", payment.capturedValue);
  if (value === 0 || value > payment.capturedValue) {
    throw new ControlError("value must be positive and at most the captured amount.");
  }
  const { dispute, notifications } = openDispute(platform, {
    payment,
    stage,
    value,
    reasonCode: typeof body.reasonCode === "string" ? body.reasonCode : null,
    defenseDays: countField(body, "defenseDays", 14),
    ...(Array.isArray(body.defenseReasons) && {
      applicableReasons: body.defenseReasons.map(String),
    }),
  });
  platform.state.commit();
  delivery.dispatch(notifications);
  return { dispute };
}

/** Lets the issuer or the card network act on a dispute. */
function newDisputeEvent(
  { platform, delivery }: Api,
  pspReference: string,
  body: JsonObject,
): { dispute: Dispute | undefined } {
  const dispute = platform.state.disputes.get(pspReference);
  const { eventCode } = body;
  if (!dispute) throw new ControlError(`The dispute ${pspReference} does not exist.`);
  if (!isOneOf(laterEvents, eventCode)) {
    throw new ControlError(`eventCode must be one of ${laterEvents.join(", ")}.`);
  }
  const problem = problemOf(dispute, eventCode);
  if (problem !== null) throw new ControlError(problem);
  const notifications = applyDisputeEvent(platform, dispute, eventCode);
  platform.state.commit();
  delivery.dispatch(notifications);
  return { dispute: platform.state.disputes.get(pspReference) };
}

/**
 * Closes the settlement batch of a merchant account. Without a merchant account in the request, closes the batch of the
 * first one.
 */
function newSettlement(
  { platform, delivery }: Api,
  body: JsonObject,
): { settlement: SettlementBatch } {
  const { accounts } = platform.state;
  const name = body.merchantAccount ?? accounts.keys().next().value;
  const account = accounts.get(String(name));
  if (!account) throw new ControlError(`The merchant account ${name} does not exist.`);
  const { batch, notifications } = closeBatch(platform, account);
  platform.state.commit();
  delivery.dispatch(notifications);
  return { settlement: batch };
}

function advanceClock({ state, clock }: Platform, body: JsonObject): { now: string } {
  const ms = countField(body, "advanceMs", 0);
  state.put("settings", "clock", { clockOffsetMs: clock.offsetMs + ms });
  state.commit();
  clock.advance(ms);
  return { now: new Date(clock.nowMs()).toISOString() };
}

/** Changes the given settings of a merchant account. Creates the account if it does not exist. */
function changeAccount(
  { state }: Platform,
  merchantAccount: string,
  changes: JsonObject,
): { account: MerchantAccount } {
  const unknown = Object.keys(changes).find((name) => !(name in defaultMerchantAccount));
  if (unknown) throw new ControlError(`${unknown} is not a setting of a merchant account.`);
  const account: MerchantAccount = {
    ...defaultMerchantAccount,
    ...state.accounts.get(merchantAccount),
    ...changes,
    merchantAccount,
  };
  state.put("accounts", merchantAccount, account);
  return { account };
}

/** Creates a new HMAC key. Recorded notifications keep the signature of the previous key. */
function rotateHmacKey({ state }: Platform, merchantAccount: string): { hmacKey: string } {
  const account = state.accounts.get(merchantAccount);
  if (!account) throw new ControlError(`The merchant account ${merchantAccount} does not exist.`);
  const hmacKey = randomBytes(32).toString("hex").toUpperCase();
  state.put("accounts", merchantAccount, { ...account, hmacKey });
  return { hmacKey };
}
