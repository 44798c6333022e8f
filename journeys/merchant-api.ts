import type { ChargeId, CheckoutSessionId } from "@florin/server/core/ids.ts";
import { florin } from "./running-florin.ts";

export type Session = {
  id: CheckoutSessionId;
  embed_url: string;
  status: string;
  payment_status: string;
  attempts: number;
};
export type Charge = {
  id: ChargeId;
  status: string;
  amount: number;
  pending_reason: string | null;
  failure_code: string | null;
  next_action: { url: string } | null;
  payment_method_details: {
    card: {
      wallet?: string;
      networks: { available: string[]; preferred: string | null };
      three_d_secure: {
        result: string;
        eci: string | null;
        liability_shift: boolean;
        flow: string | null;
        ds_transaction_id: string | null;
      } | null;
    };
  };
};
type List<Item> = { data: Item[] };

/** Creates a session through the API, for payments that the demo shop does not offer. */
export async function createSession(
  params: ({ amount: number } | { mode: "setup" }) & Record<string, unknown>,
): Promise<Session> {
  const { session } = await florin.api<{ session: Session }>("POST", "/checkout_sessions", {
    currency: "usd",
    ...params,
  });
  return session;
}

export function readSession(id: string): Promise<Session> {
  return florin.api("GET", `/checkout_sessions/${id}`);
}

/** Returns the session's charges, newest first. */
export async function chargesOf(sessionId: string): Promise<Charge[]> {
  const path = `/charges?checkout_session_id=${sessionId}`;
  return (await florin.api<List<Charge>>("GET", path)).data;
}

/** Returns the session ID in an embed URL, `cs_…` in `/embed/cs_…#secret`. */
export function sessionIdIn(embedUrl: string): string {
  return new URL(embedUrl).pathname.split("/").at(-1) ?? "";
}

export async function eventsOf(type: string, objectId: string): Promise<unknown[]> {
  type Event = { data: { object: { id: string } } };
  const { data } = await florin.api<List<Event>>("GET", `/events?type=${type}&limit=100`);
  return data.filter((event) => event.data.object.id === objectId);
}
