import { withoutDirectionControls } from "./isolate-bidi.ts";

/**
 * A text that a merchant or a customer wrote. Its first letter decides its direction, so that a text that is too long
 * for its column keeps its beginning.
 */
export function GivenText({
  text,
  className = "",
  title,
}: {
  text: string;
  className?: string;
  title?: string;
}) {
  return (
    <span
      dir="auto"
      className={`text-left ${className}`}
      title={title === undefined ? undefined : withoutDirectionControls(title)}
    >
      {withoutDirectionControls(text)}
    </span>
  );
}
