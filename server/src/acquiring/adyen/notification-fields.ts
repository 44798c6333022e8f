import type { NotificationItem } from "./webhooks.ts";

/**
 * The fields of `additionalData` that operators see. Depending on the account's settings, Adyen adds other fields, such
 * as names, email addresses, IP addresses and expiry dates. An operator does not need them to decide on a notification.
 */
const shownAdditionalData = [
  "modification.action",
  "refusalReasonRaw",
  "refusalCodeRaw",
  "merchantAdviceCode",
  "authCode",
  "avsResult",
  "cvcResult",
  "networkTxReference",
  "acquirerReference",
  "disputeStatus",
  "chargebackReasonCode",
  "chargebackSchemeCode",
  "rfiReasonCode",
  "rfiSchemeCode",
  "defensePeriodEndsAt",
  "defendable",
  "autoDefended",
] as const;

/**
 * Selects the fields of a stored notification that operators see. Returns them under Adyen's names, in a fixed order.
 */
export function shownFieldsOf(item: NotificationItem): Readonly<Record<string, string>> {
  const { amount, additionalData, success, eventCode } = item;
  // Omits `reason` of an approval, because it contains the card's last four digits and expiry date.
  const hasCardData = eventCode === "AUTHORISATION" && success;
  const fields: Readonly<Record<string, unknown>> = {
    eventCode,
    success,
    live: item.live,
    merchantAccountCode: item.merchantAccount,
    merchantReference: item.merchantReference,
    pspReference: item.pspReference,
    originalReference: item.originalReference,
    "amount.value": amount?.value,
    "amount.currency": amount?.currency,
    eventDate: item.createdAt?.toISOString() ?? null,
    paymentMethod: item.paymentMethod,
    reason: hasCardData ? null : item.reason,
    ...Object.fromEntries(shownAdditionalData.map((name) => [name, additionalData[name]])),
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === null || value === undefined || value === "" ? [] : [[name, String(value)]],
    ),
  );
}
