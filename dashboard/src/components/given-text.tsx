import { withoutDirectionControls } from "./isolate-bidi.ts";

/**
 * Renders text that a merchant or customer wrote. The first letter determines the direction, so that text that is too
 * long for its column keeps its beginning.
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
