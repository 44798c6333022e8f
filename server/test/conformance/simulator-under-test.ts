import type { Faults, Message as SimulatorMessage } from "@florin/simulator/faults.ts";
import { idFromUuid, uuidOf } from "../../src/core/ids.ts";
import type { Shop } from "../shop.ts";
import type { AcquirerUnderTest } from "./acquirer-under-test.ts";
import type { Fault, Message } from "./faults.ts";
import type { Service } from "./service-process.ts";

const simulatorMessages: Readonly<Record<Message, SimulatorMessage>> = {
  verify: "verify_card",
  "pay with a token": "authorize",
  authorize: "authorize",
  capture: "capture",
  void: "void",
  refund: "refund",
  "cancel by reference": "reverse",
  reverse: "reverse",
};

/** The simulator's own faults for each fault of the cases. Omits the faults that the simulator cannot have. */
const simulatorFaults: Partial<Record<Fault, Faults>> = {
  none: {},
  "response cut": { reset: true },
  "response cut in its body": { garbage: true },
  "request lost": { dropBefore: true },
  "502 after the execution": { reset: true },
  "502 without execution": { dropBefore: true },
  "slow response": { delayMs: 150 },
  "response after the timeout": { delayMs: 1_000 },
  "duplicate notification": { respondTwice: true },
  "another amount": { otherAmount: true },
  "pending, then declined": { rejectLate: true },
  "arrival after an inquiry": { arriveAfterNotFound: true },
};

/**
 * Returns the simulator of test mode as an acquirer under test. It runs in the service's process, and its ledger is in
 * the `simulator` schema.
 */
export function simulatorUnderTest(shop: Shop, service: () => Service): AcquirerUnderTest {
  const { read } = shop.app.database;
  return {
    name: "simulator",
    capabilities: new Set([
      "partial approvals",
      "later declines",
      "inquiries",
      "blocked references",
    ]),
    card: { number: "4242424242424242", cvc: "123" },
    createToken: null,
    createMerchants: (count) =>
      Promise.all(Array.from({ length: count }, () => shop.createMerchant())),
    async inject({ account }, message, fault) {
      const injected = simulatorFaults[fault];
      if (!injected || fault === "none") return;
      const faults = { ...injected, on: [simulatorMessages[message]], times: 1 };
      await service().send({ kind: "inject", account, faults });
    },
    async loseAuthorization({ account }, message) {
      const lost = message === "reverse" ? { arriveAfterNotFound: true } : { dropBefore: true };
      const faults: Faults = { ...lost, on: ["authorize"], times: 1 };
      await service().send({ kind: "inject", account, faults });
    },
    readRequests: async () => () => null,
    advanceClock: async () => undefined,
    repeatNotifications: async () => 0,
    async paymentsOf({ account }) {
      const rows = await read<{
        reference: string;
        currency: string;
        held: number;
        captured: number;
        refunded: number;
      }>`
        select a.reference, a.currency, m.captured, m.refunded,
               case when m.captured > 0 or m.voided then 0 else a.approved end as held
          from simulator.authorizations a
         cross join lateral (
               -- A sale is captured without an operation.
               select coalesce(sum(o.amount) filter (where o.kind = 'capture'),
                               case when a.captured then a.approved else 0 end)::int as captured,
                      coalesce(sum(o.amount) filter (where o.kind = 'refund' and o.returned_at is null), 0)::int as refunded,
                      coalesce(bool_or(o.kind = 'void'), false) as voided
                 from simulator.operations o
                where o.merchant = a.merchant and o.authorization_reference = a.reference and o.state = 'done') m
         where a.merchant = ${uuidOf(account)} and a.state = 'approved'
      `;
      return rows.map(({ reference, currency, held, captured, refunded }) => ({
        charge: idFromUuid("ch", reference),
        currency,
        heldMinor: Number(held),
        capturedMinor: captured,
        refundedMinor: refunded,
      }));
    },
    // Always empty, because the primary keys of the simulator's ledger prevent a second execution.
    executedTwice: async () => [],
  };
}
