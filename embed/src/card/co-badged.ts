import type { FrameSession } from "@florin/contract/frame.ts";
import type { CardNetwork } from "@florin/contract/payment-method.ts";
import { digitsOf } from "./digits.ts";

/**
 * Returns the networks that the holder of a co-badged card may choose from. The list is empty until enough digits are
 * typed to identify the card range.
 */
export function networksToChoose(
  number: string,
  ranges: FrameSession["co_badged"],
): readonly CardNetwork[] {
  const digits = digitsOf(number);
  return ranges.find(({ prefix }) => digits.startsWith(prefix))?.networks ?? [];
}
