/**
 * The text fields of the evidence with their labels, in the order in which the acquirer's document and the dashboard
 * show them.
 */
export const evidenceLabels = {
  product_description: "Product description",
  customer_name: "Customer name",
  customer_email_address: "Customer email",
  billing_address: "Billing address",
  customer_purchase_ip: "Customer IP address",
  verification_results: "Card and customer verification",
  receipt: "Receipt",
  earlier_payments: "Earlier payments with this card",
  shipping_address: "Shipping address",
  shipping_carrier: "Shipping carrier",
  shipping_tracking_number: "Tracking number",
  shipping_date: "Delivery date",
  customer_communication: "Communication with the customer",
  access_activity_log: "Access or activity log",
  refund_policy: "Refund policy",
  cancellation_policy: "Cancellation policy",
  duplicate_charge_explanation: "Why this payment is not a duplicate",
  uncategorized_text: "Additional information",
} as const;

export type EvidenceField = keyof typeof evidenceLabels;

/** The texts of the evidence. A field without a text is absent. */
export type EvidenceTexts = { readonly [Field in EvidenceField]?: string };
