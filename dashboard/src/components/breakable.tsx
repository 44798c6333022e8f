import { Fragment } from "react";

/**
 * A machine's word, such as `payment_intent_not_found` or `/charges/{id}/capture`: where there is little room it is
 * broken after a `_`, a `/` or a `.`, and not between any two letters.
 */
export function Breakable({ text }: { text: string }) {
  return text.split(/(?<=\w[_/.])(?=.)/).map((part, place) => (
    <Fragment key={place}>
      {place > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
