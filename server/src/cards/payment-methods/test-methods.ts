import assert from "node:assert/strict";
import { findTestCard, type TestCard } from "@florin/contract/test-cards.ts";
import { idFromUuid, type PaymentMethodId } from "../../core/ids.ts";

/**
 * A payment method that exists in the test mode of every account under a fixed name, so that charges can be tested
 * before a card form is integrated. The names follow the convention of other payment APIs.
 */
export type TestMethod = {
  /** The name in responses. Requests may also use an alias. */
  readonly name: string;
  /**
   * The UUID in Postgres. The schema requires that the UUIDs of all test methods are below
   * 01000000-0000-0000-0000-000000000000.
   */
  readonly uuid: string;
  /** The UUID in the form of a TypeID. */
  readonly id: PaymentMethodId;
  readonly card: TestCard;
};

/** The first column is part of the UUID that charges store, so its values must never be changed or reused. */
const rows: readonly (readonly [number: string, card: string, ...names: string[]])[] = [
  ["01", "4242424242424242", "pm_card_visa"],
  ["02", "4000056655665556", "pm_card_visa_debit"],
  ["03", "5555555555554444", "pm_card_mastercard"],
  ["04", "2223003122003222", "pm_card_mastercard_2series"],
  ["05", "5200828282828210", "pm_card_mastercard_debit"],
  ["06", "5105105105105100", "pm_card_mastercard_prepaid"],
  ["07", "378282246310005", "pm_card_amex"],
  ["08", "6011111111111117", "pm_card_discover"],
  ["09", "3056930009020004", "pm_card_diners"],
  ["10", "3566002020360505", "pm_card_jcb"],
  ["11", "6200000000000005", "pm_card_unionpay"],
  ["12", "4000000000000002", "pm_card_visa_chargeDeclined", "pm_card_chargeDeclined"],
  [
    "13",
    "4000000000009995",
    "pm_card_visa_chargeDeclinedInsufficientFunds",
    "pm_card_chargeDeclinedInsufficientFunds",
  ],
  [
    "14",
    "4000000000009987",
    "pm_card_visa_chargeDeclinedLostCard",
    "pm_card_chargeDeclinedLostCard",
  ],
  [
    "15",
    "4000000000009979",
    "pm_card_visa_chargeDeclinedStolenCard",
    "pm_card_chargeDeclinedStolenCard",
  ],
  [
    "16",
    "4000000000000069",
    "pm_card_visa_chargeDeclinedExpiredCard",
    "pm_card_chargeDeclinedExpiredCard",
  ],
  [
    "17",
    "4000000000000127",
    "pm_card_visa_chargeDeclinedIncorrectCvc",
    "pm_card_chargeDeclinedIncorrectCvc",
  ],
  [
    "18",
    "4000000000000119",
    "pm_card_visa_chargeDeclinedProcessingError",
    "pm_card_chargeDeclinedProcessingError",
  ],
  [
    "19",
    "4000000000006975",
    "pm_card_visa_chargeDeclinedVelocityLimitExceeded",
    "pm_card_chargeDeclinedVelocityLimitExceeded",
  ],
  [
    "20",
    "4100000000000019",
    "pm_card_visa_chargeDeclinedFraudulent",
    "pm_card_chargeDeclinedFraudulent",
  ],
  ["21", "4000000000000341", "pm_card_chargeCustomerFail"],
  ["22", "4000000000000101", "pm_card_cvcCheckFail"],
  ["23", "4000000000000036", "pm_card_avsZipFail"],
  ["24", "4000000000000028", "pm_card_avsLine1Fail"],
  ["25", "4000000000000010", "pm_card_avsFail"],
  ["26", "4000000000000044", "pm_card_avsUnchecked"],
  ["27", "4000000000004954", "pm_card_riskLevelHighest"],
  ["28", "4000000000009235", "pm_card_riskLevelElevated"],
  ["29", "4000002500003155", "pm_card_authenticationRequiredOnSetup"],
  ["30", "4000002760003184", "pm_card_authenticationRequired"],
  ["31", "4000003800000446", "pm_card_authenticationRequiredSetupForOffSession"],
  ["32", "4000008260003178", "pm_card_authenticationRequiredChargeDeclinedInsufficientFunds"],
  ["33", "4000000000003220", "pm_card_threeDSecure2Required"],
  ["34", "4000008400000027", "pm_card_threeDSecureRequired"],
  ["35", "4000000032200000", "pm_card_threeDSecure2Frictionless"],
  ["36", "4000008400001629", "pm_card_threeDSecureRequiredChargeDeclined"],
  ["37", "4000008400001280", "pm_card_threeDSecureRequiredProcessingError"],
  ["38", "4000000000003055", "pm_card_threeDSecureOptional"],
  ["39", "4000000000007726", "pm_card_pendingRefund"],
  ["40", "4000000000005126", "pm_card_refundFail"],
  ["41", "4000000000000259", "pm_card_createDispute"],
  ["42", "4000000000002685", "pm_card_createDisputeProductNotReceived"],
  ["43", "4000000000001976", "pm_card_createDisputeInquiry"],
];

const uuidPrefix = "00000000-0000-8000-8000-0000000000";

export const testMethods: readonly TestMethod[] = rows.map(([number, cardNumber, name]) => {
  const card = findTestCard(cardNumber);
  assert(card && name, `Test payment method ${number} has no card or no name`);
  const uuid = uuidPrefix + number;
  return { name, uuid, id: idFromUuid("pm", uuid), card };
});

const byName = new Map(
  rows.flatMap(([, , ...names], index) =>
    names.map((name) => [name, testMethods[index] as TestMethod] as const),
  ),
);
const byUuid = new Map(testMethods.map((method) => [method.uuid, method]));

export function testMethodByName(name: string): TestMethod | null {
  return byName.get(name) ?? null;
}

export function testMethodByUuid(uuid: string): TestMethod | null {
  return uuid.startsWith(uuidPrefix) ? (byUuid.get(uuid) ?? null) : null;
}
