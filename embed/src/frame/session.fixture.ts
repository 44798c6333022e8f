import type {
  FrameSession,
  OfferedApplePay,
  OfferedGooglePay,
  OfferedTestWallet,
} from "@florin/contract/frame.ts";

/** Returns an open session with the given fields replaced. */
export function sessionWith(
  fields: Partial<FrameSession>,
): FrameSession & { allowed_origins: string[] } {
  return {
    id: "cs_01jbqw3e4r5t6y7z8x9cvbnmas",
    mode: "payment",
    status: "open",
    payment_status: "unpaid",
    amount: 1999,
    currency: "usd",
    livemode: false,
    merchant_name: "Kiosk Nord",
    logo_path: null,
    support_email: null,
    support_phone: null,
    description: null,
    line_items: null,
    customer_email: null,
    locale: null,
    expires_at: 1_800_000_000,
    success_url: null,
    cancel_url: null,
    return_url: null,
    allowed_origins: [],
    save_payment_method: false,
    co_badged: [],
    saved_cards: [],
    wallets: [],
    attempts: 0,
    max_attempts: 5,
    last_payment_error: null,
    next_action: null,
    server_time: 1_790_000_000,
    ...fields,
  };
}

export const testWallet: OfferedTestWallet = {
  type: "test_wallet",
  recipient_id: "merchant:1",
  public_key: "BA==",
  token_path: "/simulator/wallet/tokens",
  cards: [
    { id: "success", label: "Success", brand: "visa", last4: "4242" },
    { id: "declined", label: "Insufficient funds", brand: "mastercard", last4: "9995" },
  ],
};

/** Returns Google Pay as a session offers it. The page with its button is on `walletsOrigin`. */
export function googlePayAt(
  walletsOrigin: string,
  fields: Partial<OfferedGooglePay> = {},
): OfferedGooglePay {
  return {
    type: "google_pay",
    page_url: `${walletsOrigin}/google_pay/cs_01jbqw3e4r5t6y7z8x9cvbnmas`,
    environment: "TEST",
    merchant_id: "12345678901234567890",
    merchant_name: "Kiosk Nord",
    allowed_card_networks: ["MASTERCARD", "VISA"],
    allowed_auth_methods: ["PAN_ONLY", "CRYPTOGRAM_3DS"],
    country_code: "DE",
    tokenization: { type: "DIRECT", protocol_version: "ECv2", public_key: "BA==" },
    assignment: null,
    ...fields,
  };
}

export const applePay: OfferedApplePay = {
  type: "apple_pay",
  merchant_identifier: "merchant.com.example.kiosk",
  display_name: "Kiosk Nord",
  domains: ["127.0.0.1", "shop.test"],
  supported_networks: ["masterCard", "visa"],
  merchant_capabilities: ["supports3DS"],
  country_code: "DE",
  assignment: null,
};
