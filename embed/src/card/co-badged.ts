import type { FrameSession } from "@florin/contract/frame.ts";
import type { CardNetwork } from "@florin/contract/payment-method.ts";
import { digitsOf } from "./digits.ts";

/** Returns the networks that the holder of this card may choose from. Empty until the number is long enough. */
export function networksToChoose(
  number: string,
  ranges: FrameSession["co_badged"],
): readonly CardNetwork[] {
  const digits = digitsOf(number);
  return ranges.find(({ prefix }) => digits.startsWith(prefix))?.networks ?? [];
}
