import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import type { ProcessorName } from "../../src/acquiring/processor.ts";
import type { AccountId, ChargeId } from "../../src/core/ids.ts";
import type { SecretKey } from "../../src/identity/api-keys/key-text.ts";
import type { Capability, Fault, Message } from "./faults.ts";

/** The merchant of one case. Faults are injected for it alone, and its money at the acquirer is counted separately. */
export type CaseMerchant = {
  readonly account: AccountId;
  readonly key: SecretKey;
  /** The assignment to a connection. Absent in test mode. */
  readonly assignment?: string;
};

/** A wallet's token, as the card form sends it. */
export type TokenUnderTest = { readonly wallet: DigitalWallet; readonly token: string };

/** The money of one charge at the acquirer, in minor units. */
export type PaymentAtAcquirer = {
  readonly charge: ChargeId;
  readonly currency: string;
  readonly heldMinor: number;
  readonly capturedMinor: number;
  readonly refundedMinor: number;
};

/** Returns whether the merchant's request of this kind has arrived, or null if the acquirer does not record it. */
export type ReceivedRequests = (merchant: CaseMerchant, message: Message) => boolean | null;

/**
 * An acquirer against which the conformance cases run. Each implementation maps the cases' faults to the acquirer's own
 * faults, and reads the acquirer's own ledger.
 */
export type AcquirerUnderTest = {
  readonly name: ProcessorName;
  readonly capabilities: ReadonlySet<Capability>;
  /** A card that the acquirer approves. */
  readonly card: { readonly number: string; readonly cvc: string };
  /**
   * Creates a wallet's token that the acquirer decrypts. Null if the acquirer lacks the capability "gateway tokens".
   */
  readonly createToken: ((merchant: CaseMerchant) => Promise<TokenUnderTest>) | null;
  createMerchants(count: number): Promise<readonly CaseMerchant[]>;
  /** Adds a fault to the merchant's next request of this kind. */
  inject(merchant: CaseMerchant, message: Message, fault: Fault): Promise<void>;
  /** Loses the response of the merchant's next authorization, so that the service must reverse it. */
  loseAuthorization(merchant: CaseMerchant, message: Message): Promise<void>;
  readRequests(): Promise<ReceivedRequests>;
  advanceClock(milliseconds: number): Promise<void>;
  /**
   * Sends notifications again, as an acquirer does: those that the service has not received or, with `lost`, those that
   * a fault has lost. Returns the number of sent notifications.
   */
  repeatNotifications(which: "pending" | "lost"): Promise<number>;
  paymentsOf(merchant: CaseMerchant): Promise<readonly PaymentAtAcquirer[]>;
  /** Returns the references of operations that the acquirer has executed more than once. */
  executedTwice(): Promise<readonly string[]>;
};
