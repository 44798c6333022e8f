import type { Account } from "./records.ts";

export type CheckoutComFakeOptions = {
  /** 0 lets the system choose a free port. */
  readonly port?: number;
  /** The delay before each response, in milliseconds. */
  readonly responseDelayMs?: number;
  /** The time between the response to a capture, void or refund request and its execution, in milliseconds. */
  readonly processingMs?: number;
  readonly accounts?: readonly (Partial<Account> & {
    readonly id: string;
    /** The processing channels of the account. */
    readonly channels?: readonly string[];
  })[];
};

export type CheckoutComFake = {
  readonly port: number;
  /** The base URL of the API. */
  readonly url: string;
  close(): Promise<void>;
};

/** Starts the fake on the loopback interface. Its state is lost when it ends. */
export async function startCheckoutComFake(
  options: CheckoutComFakeOptions = {},
): Promise<CheckoutComFake> {
  throw new Error(`The fake is not complete yet (port ${options.port ?? 0}).`);
}
