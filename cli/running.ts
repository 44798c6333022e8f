import type { Demo } from "@florin/server/demo.ts";
import { browserAddress } from "@florin/server/identity/people/browser-address.ts";
import type { RunningServer } from "@florin/server/main.ts";
import type { Shop } from "./shop.ts";

/** Everything that `florin start` has started. */
export type Running = {
  readonly server: RunningServer;
  readonly demo: Demo | null;
  readonly shop: Shop | null;
  /** The URL that makes the first person who opens it an operator. Null when there is an operator. */
  readonly operatorSetupUrl: string | null;
};

/** Returns the link to the demo's inbox, or null without one. Browsers do not send the secret in the fragment. */
export function inboxUrl({ url, inboxSecret }: RunningServer): string | null {
  return inboxSecret && `${browserAddress(url)}/dashboard/inbox#${inboxSecret}`;
}
