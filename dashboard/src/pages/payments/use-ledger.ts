import type { Charge } from "@florin/contract/charge.ts";
import type { ChargeLedger } from "@florin/contract/timeline.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";

/** Reads the ledger entries of the payment. For people who can read the balance. */
export function useLedgerOf(charge: Charge) {
  const may = useMay();
  return useObject<ChargeLedger>(
    may("balance:read") ? `/charges/${charge.id}/ledger` : null,
    {},
    { asOf: charge.version },
  );
}
