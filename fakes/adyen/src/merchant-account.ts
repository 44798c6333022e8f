/** A merchant account with its settings. At Adyen the operator changes them in the Customer Area. */
export type MerchantAccount = {
  readonly merchantAccount: string;
  readonly companyAccount: string;
  /** The API key that may use this merchant account. Several accounts can share a key. */
  readonly apiKey: string;
  /** The hexadecimal key that signs new notifications. */
  readonly hmacKey: string;
  /** Notifications are not sent while this is null. */
  readonly webhookUrl: string | null;
  /** With `held`, each notification waits until the control API sends it, so that a test can choose the order. */
  readonly delivery: "automatic" | "held";
  /**
   * True if responses contain optional fields, such as `authCode` and `networkTxReference`. Adyen enables them per
   * account.
   */
  readonly returnsAdditionalData: boolean;
  /** False if the first partial capture releases the remainder, which is Adyen's default. */
  readonly multiplePartialCaptures: boolean;
  readonly authorizationValidDays: number;
  /**
   * A response code, such as 2, with which issuers refuse every payment of this account. Null if each payment
   * determines its own response.
   */
  readonly refusesWith: number | null;
  /** The currency of payouts. Null if each currency is paid out separately. */
  readonly settlementCurrency: string | null;
  /** The units of the settlement currency for one unit of another currency, as decimal texts. */
  readonly exchangeRates: Readonly<Record<string, string>>;
  /** `interchange_plus` reports markup, scheme fees and interchange. `blended` reports one commission. */
  readonly pricing: "interchange_plus" | "blended";
};

export const defaultMerchantAccount: MerchantAccount = {
  merchantAccount: "FlorinECOM",
  companyAccount: "Florin",
  apiKey: "AQEfake_api_key",
  hmacKey: "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056",
  webhookUrl: null,
  delivery: "automatic",
  returnsAdditionalData: true,
  multiplePartialCaptures: true,
  authorizationValidDays: 28,
  refusesWith: null,
  settlementCurrency: null,
  exchangeRates: {},
  pricing: "interchange_plus",
};
