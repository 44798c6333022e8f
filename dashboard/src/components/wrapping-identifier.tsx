import { Fragment } from "react";
import { withoutDirectionControls } from "./isolate-bidi.ts";

/**
 * An identifier such as `payment_intent_not_found` or `/charges/{id}/capture`, or an email address. The text wraps only
 * after `_`, `/`, `.` or `@`.
 */
export function WrappingIdentifier({ text }: { text: string }) {
  return withoutDirectionControls(text)
    .split(/(?<=\w[_/.@])(?=.)/)
    .map((part, index) => (
      <Fragment key={index}>
        {index > 0 && <wbr />}
        {part}
      </Fragment>
    ));
}

/** An identifier in monospace, such as the type of an event. */
export function IdentifierCode({ text }: { text: string }) {
  return (
    <code className="font-mono text-xs">
      <WrappingIdentifier text={text} />
    </code>
  );
}
