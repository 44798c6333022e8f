import { controls, directionControls } from "@florin/contract/text.ts";

const controlCharacters = new RegExp(`[${controls}\\p{Zl}\\p{Zp}]+`, "gu");
const directionCharacters = new RegExp(`[${directionControls}]`, "gu");

/**
 * Returns text that is shown to a customer, without the characters that would change how the text after them is
 * displayed. A tab or a line break would begin another cell or paragraph of an email, and a change of direction would
 * reverse letters and amounts.
 */
export function oneLine(text: string): string {
  return text.replaceAll(controlCharacters, " ").replaceAll(directionCharacters, "").trim();
}
