import { type ReactNode, startTransition, useContext, useEffect, useRef, useState } from "react";
import { ShownContext } from "./shown-together.tsx";

export type Size = { readonly width: number; readonly height: number };

type Props = {
  readonly className: string;
  readonly children: (size: Size) => ReactNode;
};

/**
 * Renders a drawing with the size of its area, after the page is shown. The height comes from the class, so that the page
 * does not move.
 */
export function DrawingArea({ className, children }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size | null>(null);
  // The sections of the page are shown first. A drawing would delay them.
  const isInPlace = useContext(ShownContext);
  useEffect(() => {
    const area = element.current;
    if (!area || !isInPlace) return;
    // Renders in slices, between which the browser can handle input.
    startTransition(() => setSize({ width: area.clientWidth, height: area.clientHeight }));
  }, [isInPlace]);
  return (
    <div ref={element} aria-hidden="true" className={className}>
      {size && children(size)}
    </div>
  );
}
