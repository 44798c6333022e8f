import type { Customer } from "@florin/contract/customer.ts";
import { briefId } from "../../components/id.tsx";

/** Returns the name of a customer, or what identifies a customer without a name. */
export function nameOf({ name, email, id }: Customer): string {
  return name ?? email ?? briefId(id);
}
