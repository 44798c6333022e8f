import { hash } from "node:crypto";
import { type ChargeStatus, chargeStatuses } from "@florin/contract/charge.ts";
import { isFixedTestMethod } from "../payment-methods/payment-method-id.ts";
import type { CustomerId, PaymentMethodId } from "../primitives/ids.ts";
import type { Metadata } from "../primitives/metadata.ts";
import type { Owner } from "../primitives/owner.ts";
import type { Charge } from "./charge.ts";
import type { Conditions } from "./charge-filter.ts";

/**
 * Charges are found by words, as a text is by the index of a book: their ids in order are cut into blocks, and for
 * each block it is kept which words its charges have (decision 22). A block that has all words of a filter may hold
 * a charge that meets it; a block that lacks one cannot. What is found is always tested on the charge itself.
 */
export type IdRange = { readonly first: string; readonly last: string };

/** How many charges share a block. */
export const blockSize = 128;

/** A filter in words: a block must have one of each group. */
export type WordGroups = readonly (readonly string[])[];

/** What charges are found by. */
export type SearchedFacts = {
  readonly status: ChargeStatus;
  readonly amountMinor: number;
  readonly currency: string;
  readonly brand: string;
  readonly last4: string;
  readonly metadata: Metadata;
  readonly paymentMethodId: PaymentMethodId;
  readonly customerId: CustomerId | null;
  readonly email: string | null;
};

export function searchedFacts(charge: Charge): SearchedFacts {
  const { status, price, card, metadata, paymentMethodId, customerId, risk } = charge;
  return {
    status,
    ...price,
    brand: card.brand,
    last4: card.last4,
    metadata,
    paymentMethodId,
    customerId,
    email: risk.facts?.email ?? null,
  };
}

export function wordsOfCharge(facts: SearchedFacts): string[] {
  const { amountMinor, currency, brand, metadata, paymentMethodId, customerId, email } = facts;
  return [
    ...statusesToCome(facts.status).flatMap((status) => [
      ...facetWords({ status, currency, brand }),
      sizeWord(magnitude(amountMinor), status),
    ]),
    `last4 ${facts.last4}`,
    `amount ${amountMinor}`,
    sizeWord(magnitude(amountMinor)),
    ...Object.entries(metadata).map(metadataWord),
    ...(isFixedTestMethod(paymentMethodId) ? [`payment_method ${paymentMethodId}`] : []),
    ...(customerId ? [customerWord(customerId)] : []),
    ...(email ? [emailWord(email)] : []),
  ];
}

/**
 * The words that a charge must have to meet the filter; none where the filter names nothing that has words. Words of
 * a charge are written once, so each that a charge may still come to deserve is written beforehand.
 */
export function wordsOfFilter(filter: Conditions): WordGroups {
  const { statuses, currency, brands, last4, amount, metadata, paymentMethodId, email } = filter;
  const groups: (readonly string[])[] = [];
  if (statuses || currency || brands) {
    const facets = (statuses ?? [null]).flatMap((status) =>
      (brands ?? [undefined]).map((brand) => facetWord({ status, currency, brand })),
    );
    groups.push(facets);
  }
  if (last4) groups.push([`last4 ${last4}`]);
  if (amount) groups.push(amountWords(amount, statuses));
  for (const pair of Object.entries(metadata ?? {})) groups.push([metadataWord(pair)]);
  if (paymentMethodId && isFixedTestMethod(paymentMethodId)) {
    groups.push([`payment_method ${paymentMethodId}`]);
  }
  if (email) groups.push([emailWord(email), ...filter.customersOfEmail.map(customerWord)]);
  return groups;
}

/** Whether words that few charges have are among them: then they lead to the charge faster than an index of states. */
export function hasRareWords({ last4, amount, metadata, paymentMethodId, email }: Conditions) {
  return Boolean(last4 || amount || metadata || paymentMethodId || email);
}

/** Where a charge that is not at its end may still go. */
function statusesToCome(status: ChargeStatus): readonly ChargeStatus[] {
  if (status === "processing" || status === "requires_action") return chargeStatuses;
  return status === "authorized" ? ["authorized", "succeeded", "canceled"] : [status];
}

type Facets = {
  readonly status: ChargeStatus | null;
  readonly currency?: string | undefined;
  readonly brand?: string | undefined;
};

/** Every combination is a word of its own, so that a block with one failed and one Amex payment is no failed Amex. */
function facetWords({ status, currency, brand }: Facets): string[] {
  const words: string[] = [];
  for (const one of [status, null]) {
    for (const two of [currency, undefined]) {
      for (const three of [brand, undefined]) {
        if (one || two || three)
          words.push(facetWord({ status: one, currency: two, brand: three }));
      }
    }
  }
  return words;
}

function facetWord({ status, currency, brand }: Facets): string {
  return `facets ${status ?? "*"} ${currency ?? "*"} ${brand ?? "*"}`;
}

const metadataWord = ([key, value]: [string, string]): string => `metadata ${key}=${value}`;
const customerWord = (id: CustomerId): string => `customer ${id}`;
const emailWord = (email: string): string => `email ${email.toLowerCase()}`;

/** A few amounts are asked for one by one, and more of them by their size. */
const fewAmounts = 16;

type Amounts = { readonly least: number; readonly most: number };

function amountWords({ least, most }: Amounts, statuses?: readonly ChargeStatus[]): string[] {
  if (most - least < fewAmounts) return numbers(least, most).map((amount) => `amount ${amount}`);
  const sizes = numbers(magnitude(least), magnitude(most));
  // Large payments that failed are asked for more often than they are found beside each other.
  return sizes.flatMap(
    (size) => statuses?.map((status) => sizeWord(size, status)) ?? sizeWord(size),
  );
}

function sizeWord(size: number, status: ChargeStatus | "*" = "*"): string {
  return `amount about ${size} ${status}`;
}

function numbers(first: number, last: number): number[] {
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => first + index);
}

/** Grows by one for every quarter of a doubling: a range of amounts is a few of them. */
function magnitude(amount: number): number {
  return amount < 1 ? 0 : Math.floor(Math.log2(amount) * 4) + 1;
}

/** Words as they are kept: 64 bits, from which no address can be read, and different ones for each merchant and mode. */
export function hashWords({ account, livemode }: Owner, words: readonly string[]): string[] {
  const own = `${account} ${livemode} `;
  return [...new Set(words)].map((word) =>
    hash("sha256", own + word, "buffer")
      .readBigInt64BE()
      .toString(),
  );
}
