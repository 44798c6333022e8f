import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, sdkAcceptsSignature } from "./adyen-sdk.fixture.ts";
import { officialDocument } from "./official-document.fixture.ts";
import {
  account,
  hold,
  modification,
  type RunningFake,
  runFake,
  sale,
} from "./running-fake.fixture.ts";

const service = officialDocument("DisputeService-v30.json");
const webhooks = officialDocument("Webhooks-v1.json");

const hour = 60 * 60 * 1000;
const day = 24 * hour;

async function payable({ control }: RunningFake): Promise<number> {
  const { balances, isBalanced } = await control("GET ledger");
  assert.equal(isBalanced, true);
  const balance = balances.find((entry: Json) => entry.account === "payable");
  return balance.credit - balance.debit;
}

function assertValidNotifications({ receiver }: RunningFake, eventCodes: readonly string[]): void {
  for (const [index, item] of receiver.items.entries()) {
    assert.ok(sdkAcceptsSignature(item, account.hmacKey), item.eventCode);
    if (typeof webhooks === "string" || !eventCodes.includes(item.eventCode)) continue;
    const words = item.eventCode.split("_");
    const name = words.map((word: string) => word[0] + word.slice(1).toLowerCase()).join("");
    webhooks.assertValid(`${name}NotificationRequest`, receiver.bodies[index]);
  }
}

async function open(fake: RunningFake, changes: Json = {}): Promise<{ dispute: Json; key: Json }> {
  const { pspReference } = await fake.sdk.payments(sale("ch_1"));
  const { dispute } = await fake.control("POST disputes", { payment: pspReference, ...changes });
  const key = {
    merchantAccountCode: account.merchantAccount,
    disputePspReference: dispute.pspReference,
  };
  return { dispute, key };
}

function document(defenseDocumentTypeCode: string, content = "JVBERi0xLjQK"): Json {
  return { content, contentType: "application/pdf", defenseDocumentTypeCode };
}

test("a chargeback deducts the amount, and a defense with documents reverses it", async (t) => {
  const fake = await runFake(t);
  const { dispute, key } = await open(fake, { reasonCode: "13.1" });
  const item = await fake.receiver.item("CHARGEBACK");
  assert.equal(item.pspReference, dispute.pspReference);
  assert.equal(item.originalReference, dispute.paymentPspReference);
  const { chargebackReasonCode, defendable, disputeStatus } = item.additionalData;
  assert.deepEqual(
    [chargebackReasonCode, defendable, disputeStatus],
    ["13.1", "true", "Unresponded"],
  );
  assert.ok(Date.parse(item.additionalData.defensePeriodEndsAt) > Date.now() + 13 * day);
  assert.equal(await payable(fake), 0);

  const { disputes } = fake.sdk;
  const reason = { ...key, defenseReasonCode: "SupplyDefenseMaterial" };
  const early = await disputes.defendDispute(reason);
  assert.equal(early.disputeServiceResult.success, false);
  const supplied = await disputes.supplyDefenseDocument({
    ...key,
    defenseDocuments: [document("DefenseMaterial"), document("TIDorInvoice")],
  });
  assert.equal(supplied.disputeServiceResult.success, true);
  await disputes.deleteDisputeDefenseDocument({ ...key, defenseDocumentType: "TIDorInvoice" });
  const { defenseReasons } = await disputes.retrieveApplicableDefenseReasons(key);
  const found = defenseReasons.find(
    (entry: Json) => entry.defenseReasonCode === reason.defenseReasonCode,
  );
  assert.equal(found.satisfied, true);
  assert.deepEqual(
    found.defenseDocumentTypes.map((entry: Json) => [
      entry.defenseDocumentTypeCode,
      entry.available,
    ]),
    [
      ["TIDorInvoice", false],
      ["DefenseMaterial", true],
    ],
  );
  const defended = await disputes.defendDispute(reason);
  assert.equal(defended.disputeServiceResult.success, true);
  await fake.receiver.item("INFORMATION_SUPPLIED");
  await fake.receiver.item("CHARGEBACK_REVERSED");
  assert.equal(await payable(fake), 1000);
  const again = await disputes.defendDispute(reason);
  assert.equal(again.disputeServiceResult.success, false);

  const events = `POST disputes/${dispute.pspReference}/events`;
  await fake.control(events, { eventCode: "SECOND_CHARGEBACK" });
  assert.equal(
    (await fake.receiver.item("SECOND_CHARGEBACK")).additionalData.disputeStatus,
    "Lost",
  );
  assert.equal(await payable(fake), 0);
  assertValidNotifications(fake, [
    "CHARGEBACK",
    "CHARGEBACK_REVERSED",
    "INFORMATION_SUPPLIED",
    "SECOND_CHARGEBACK",
  ]);
});

test("each response is valid against the official document", async (t) => {
  if (typeof service === "string") return t.skip(service);
  const fake = await runFake(t);
  const { key } = await open(fake);
  const call = async (name: string, body: Json) =>
    (await fake.post(`/ca/services/DisputeService/v30/${name}`, { ...key, ...body })).body;
  const documents = { defenseDocuments: [document("DefenseMaterial")] };
  const calls: [string, string, Json][] = [
    ["DefenseReasonsResponse", "retrieveApplicableDefenseReasons", {}],
    ["SupplyDefenseDocumentResponse", "supplyDefenseDocument", documents],
    [
      "DeleteDefenseDocumentResponse",
      "deleteDisputeDefenseDocument",
      { defenseDocumentType: "DefenseMaterial" },
    ],
    ["DefendDisputeResponse", "defendDispute", { defenseReasonCode: "unknown" }],
    ["AcceptDisputeResponse", "acceptDispute", {}],
    ["AcceptDisputeResponse", "acceptDispute", { disputePspReference: "unknown" }],
    ["ServiceError", "acceptDispute", { merchantAccountCode: "Other" }],
  ];
  for (const [schema, name, body] of calls) service.assertValid(schema, await call(name, body));
});

test("a document of another type or size is rejected", async (t) => {
  const fake = await runFake(t);
  const { key } = await open(fake);
  const supply = (changed: Json) =>
    fake.sdk.disputes.supplyDefenseDocument({
      ...key,
      defenseDocuments: [{ ...document("DefenseMaterial"), ...changed }],
    });
  const word = await supply({ contentType: "application/msword" });
  assert.match(word.disputeServiceResult.errorMessage, /not supported/);
  const large = await supply({ content: "AAAA".repeat(800_000) });
  assert.match(large.disputeServiceResult.errorMessage, /larger than/);
  const unknown = await supply({ defenseDocumentTypeCode: "Other" });
  assert.equal(unknown.disputeServiceResult.success, false);
});

test("an accepted dispute stays deducted, and the end of its period is reported", async (t) => {
  const fake = await runFake(t);
  const { key } = await open(fake, { defenseDays: 5 });
  await fake.receiver.item("CHARGEBACK");
  const accepted = await fake.sdk.disputes.acceptDispute(key);
  assert.equal(accepted.disputeServiceResult.success, true);
  await fake.control("POST clock", { advanceMs: 5 * day });
  const item = await fake.receiver.item("DISPUTE_DEFENSE_PERIOD_ENDED");
  assert.equal(item.additionalData.disputeStatus, "Accepted");
  assert.equal(await payable(fake), 0);
  assertValidNotifications(fake, ["DISPUTE_DEFENSE_PERIOD_ENDED"]);
});

test("an undefended dispute is lost at the end of its period", async (t) => {
  const fake = await runFake(t);
  const { key } = await open(fake);
  await fake.receiver.item("CHARGEBACK");
  await fake.control("POST clock", { advanceMs: 14 * day });
  const item = await fake.receiver.item("DISPUTE_DEFENSE_PERIOD_ENDED");
  assert.equal(item.additionalData.disputeStatus, "Lost");
  const late = await fake.sdk.disputes.acceptDispute(key);
  assert.equal(late.disputeServiceResult.success, false);
});

test("a request for information and a notification of a chargeback deduct nothing", async (t) => {
  const fake = await runFake(t);
  for (const stage of ["request_for_information", "notification_of_chargeback"]) {
    const { dispute } = await open(fake, { stage });
    await fake.receiver.item(stage.toUpperCase());
    const before = await payable(fake);
    const events = `POST disputes/${dispute.pspReference}/events`;
    await fake.control(events, { eventCode: "CHARGEBACK" });
    assert.equal(await payable(fake), before - 1000);
  }
  await fake.receiver.item("CHARGEBACK");
  const { disputes } = await fake.control("GET disputes?stage=chargeback");
  const events = `POST disputes/${disputes[0].pspReference}/events`;
  for (const eventCode of [
    "PREARBITRATION_LOST",
    "PREARBITRATION_WON",
    "ISSUER_RESPONSE_TIMEFRAME_EXPIRED",
  ]) {
    await fake.control(events, { eventCode });
    await fake.receiver.item(eventCode);
  }
  assertValidNotifications(fake, [
    "REQUEST_FOR_INFORMATION",
    "NOTIFICATION_OF_CHARGEBACK",
    "CHARGEBACK",
    "PREARBITRATION_LOST",
    "PREARBITRATION_WON",
    "ISSUER_RESPONSE_TIMEFRAME_EXPIRED",
  ]);
});

test("the name of the cardholder opens disputes after the capture", async (t) => {
  const fake = await runFake(t);
  const request = (reference: string, holderName: string) =>
    hold(reference, { paymentMethod: { holderName } });
  const first = await fake.sdk.payments(request("ch_1", "Chargeback:13.3"));
  const second = await fake.sdk.payments(request("ch_2", "Second Chargeback"));
  for (const [index, { pspReference }] of [first, second].entries()) {
    await fake.sdk.capture(pspReference, modification(`op_${index}`, 1000));
    await fake.receiver.item("CAPTURE", `op_${index}`);
  }
  await fake.control("POST clock", { advanceMs: hour });
  const item = await fake.receiver.item("CHARGEBACK", "ch_1");
  assert.equal(item.additionalData.chargebackReasonCode, "13.3");
  await fake.receiver.item("CHARGEBACK", "ch_2");
  await fake.control("POST clock", { advanceMs: hour });
  await fake.receiver.item("CHARGEBACK_REVERSED", "ch_2");
  assert.equal(await payable(fake), 1000);
  await fake.control("POST clock", { advanceMs: hour });
  await fake.receiver.item("SECOND_CHARGEBACK", "ch_2");
  assert.equal(await payable(fake), 0);
});
