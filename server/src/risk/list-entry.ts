import type {
  ListAttribute,
  ListEntry as ListEntryObject,
  ListName,
} from "@florin/contract/list-entry.ts";
import { unixSeconds } from "../core/clock.ts";
import { plainDomain, plainEmail } from "../core/email-address.ts";
import { createdAt, type ListEntryId } from "../core/ids.ts";
import type { Metadata } from "../core/metadata.ts";
import { plainAddress } from "../core/network.ts";
import type { Scope } from "../core/scope.ts";

/** An entry of the allow list or the block list. */
export type ListEntry = {
  readonly id: ListEntryId;
  readonly scope: Scope;
  readonly list: ListName;
  readonly attribute: ListAttribute;
  readonly value: string;
  readonly expiresAt: Date | null;
  readonly description: string | null;
  readonly metadata: Metadata;
};

/** Normalizes a value for comparison: emails, domains and IP addresses to one spelling, countries to upper case. */
export function plainValue(attribute: ListAttribute, value: string): string {
  const trimmed = value.trim();
  if (attribute === "ip") return plainAddress(trimmed);
  if (attribute === "email") return plainEmail(trimmed);
  if (attribute === "email_domain") return plainDomain(trimmed);
  return attribute.endsWith("_country") ? trimmed.toUpperCase() : trimmed;
}

/**
 * Returns the spellings in which a value can be stored. An earlier release converted email addresses and domains only
 * to lower case.
 */
export function storedValues(attribute: ListAttribute, value: string): string[] {
  const plain = plainValue(attribute, value);
  const isEmail = attribute === "email" || attribute === "email_domain";
  return isEmail ? [...new Set([plain, value.trim().toLowerCase()])] : [plain];
}

export function listEntryObject(entry: ListEntry): ListEntryObject {
  return {
    id: entry.id,
    object: "list_entry",
    livemode: entry.scope.livemode,
    created: unixSeconds(createdAt(entry.id)),
    list: entry.list,
    attribute: entry.attribute,
    value: entry.value,
    expires_at: entry.expiresAt && unixSeconds(entry.expiresAt),
    description: entry.description,
    metadata: { ...entry.metadata },
  };
}
