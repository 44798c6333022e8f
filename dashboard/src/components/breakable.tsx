import { Fragment } from "react";

/**
 * An identifier such as `payment_intent_not_found` or `/charges/{id}/capture`. Where space is short, it breaks after
 * `_`, `/` or `.` and not between any two letters.
 */
export function Breakable({ text }: { text: string }) {
  return text.split(/(?<=\w[_/.])(?=.)/).map((part, place) => (
    <Fragment key={place}>
      {place > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
