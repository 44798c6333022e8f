import type { FrameSession } from "@florin/contract/frame.ts";
import type { CardNetwork } from "@florin/contract/payment-method.ts";
import { digitsOf } from "./digits.ts";

/** The networks between which the holder of this card may choose; none until the number is long enough to tell. */
export function networksToChoose(
  number: string,
  ranges: FrameSession["co_badged"],
): readonly CardNetwork[] {
  const digits = digitsOf(number);
  return ranges.find(({ prefix }) => digits.startsWith(prefix))?.networks ?? [];
}
