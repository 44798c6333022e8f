import { type ReactNode, useEffect, useRef, useState } from "react";

/**
 * Renders its children once a part of it is visible, or when the page is printed. Charts below the first screen would
 * otherwise delay the first input on a phone. The height comes from the class, so that the page does not move.
 */
export function WhenVisible({ className, children }: { className: string; children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null);
  const [isVisible, setIsVisible] = useState(false);
  useEffect(() => {
    const area = element.current;
    if (!area || isVisible) return;
    const show = () => setIsVisible(true);
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) show();
      },
      { threshold: 0.2 },
    );
    observer.observe(area);
    addEventListener("beforeprint", show);
    return () => {
      observer.disconnect();
      removeEventListener("beforeprint", show);
    };
  }, [isVisible]);
  return (
    <div ref={element} aria-hidden="true" className={className}>
      {isVisible && children}
    </div>
  );
}
