import type { CardField } from "../protocol/message.ts";
import type { Words } from "./locales/words.ts";

export function labelOf(words: Words, field: CardField): string {
  return field === "postal_code" ? words.postalCode : words[field];
}
