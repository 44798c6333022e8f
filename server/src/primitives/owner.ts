import type { AccountId } from "./ids.ts";

/** Whose data, and in which of the two worlds. Every statement on merchant data names both (contract §1). */
export type Owner = { readonly account: AccountId; readonly livemode: boolean };
