import type { Customer } from "@florin/contract/customer.ts";
import { briefId } from "../../components/id.tsx";

/** Returns the name of a customer, or else the email address, or else the shortened ID. */
export function nameOf({ name, email, id }: Customer): string {
  return name ?? email ?? briefId(id);
}
