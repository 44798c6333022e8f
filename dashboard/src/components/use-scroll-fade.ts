import { type RefObject, useEffect } from "react";

/**
 * Fades the edges of a scrollable element where content continues, so that people see that they can scroll. Sets the
 * properties of the classes `fade-edges` and `fade-sides`.
 */
export function useScrollFade(element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const scrolled = element.current;
    if (!scrolled) return;
    const update = () => {
      const { scrollTop, scrollHeight, clientHeight, scrollLeft, scrollWidth, clientWidth } =
        scrolled;
      const below = scrollHeight - clientHeight - scrollTop;
      scrolled.style.setProperty("--fade-start", scrollTop > 1 ? "1.5rem" : "0px");
      scrolled.style.setProperty("--fade-end", below > 1 ? "2.5rem" : "0px");
      const right = scrollWidth - clientWidth - scrollLeft;
      scrolled.style.setProperty("--fade-left", scrollLeft > 1 ? "2.5rem" : "0px");
      scrolled.style.setProperty("--fade-right", right > 1 ? "2.5rem" : "0px");
    };
    scrolled.addEventListener("scroll", update, { passive: true });
    // The height of the content changes when a group is opened, and the size of the element changes with the window.
    // The observer also calls `update` after the first layout. A direct call here would force a layout before the page
    // is complete.
    const observer = new ResizeObserver(update);
    observer.observe(scrolled);
    for (const child of scrolled.children) observer.observe(child);
    return () => {
      scrolled.removeEventListener("scroll", update);
      observer.disconnect();
    };
  }, [element]);
}
