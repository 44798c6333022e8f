import { type ReactNode, startTransition, useContext, useEffect, useRef, useState } from "react";
import { ShownContext } from "./shown-together.tsx";

export type Size = { readonly width: number; readonly height: number };

type Props = {
  readonly className: string;
  readonly children: (size: Size) => ReactNode;
};

/**
 * Renders its children once half of it is visible, or when the page is printed. Drawing a chart takes about 70 ms of a
 * desktop's CPU, and would delay the first input on a phone. The height comes from the class, so that the page does not
 * move.
 */
export function WhenVisible({ className, children }: Props) {
  const element = useRef<HTMLDivElement>(null);
  // The size is measured here, so that the first render of a chart has it. A chart that measures itself is rendered
  // again before the next frame, which cannot be interrupted.
  const [size, setSize] = useState<Size | null>(null);
  // Until the sections above are shown, an area that will be below the first screen can be on it.
  const isInPlace = useContext(ShownContext);
  useEffect(() => {
    const area = element.current;
    if (!area || size || !isInPlace) return;
    const show = () => setSize({ width: area.clientWidth, height: area.clientHeight });
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        // Renders in slices, between which the browser can handle input.
        startTransition(show);
      },
      { threshold: 0.5 },
    );
    observer.observe(area);
    addEventListener("beforeprint", show);
    return () => {
      observer.disconnect();
      removeEventListener("beforeprint", show);
    };
  }, [size, isInPlace]);
  return (
    <div ref={element} aria-hidden="true" className={className}>
      {size && children(size)}
    </div>
  );
}
