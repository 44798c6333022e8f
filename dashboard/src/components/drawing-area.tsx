import { type ReactNode, startTransition, useContext, useEffect, useRef, useState } from "react";
import { ShownContext } from "./shown-together.tsx";

export type Size = { readonly width: number; readonly height: number };

type Props = {
  readonly className: string;
  readonly children: (size: Size) => ReactNode;
};

/**
 * Renders a drawing with the size of its area, after the page is shown. The height of the area is set by the class, so
 * that the page does not shift when the drawing appears.
 */
export function DrawingArea({ className, children }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size | null>(null);
  // Waits until the sections of the page are shown, because a drawing would delay them.
  const isInPlace = useContext(ShownContext);
  useEffect(() => {
    const area = element.current;
    if (!area || !isInPlace) return;
    // Renders as a transition, which React splits into slices. The browser can handle input between two slices.
    startTransition(() => setSize({ width: area.clientWidth, height: area.clientHeight }));
  }, [isInPlace]);
  return (
    <div ref={element} aria-hidden="true" className={className}>
      {size && children(size)}
    </div>
  );
}
