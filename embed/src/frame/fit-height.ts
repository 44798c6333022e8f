/**
 * Keeps a same-origin frame as tall as its document through every navigation. The issuer's page inside it is
 * cross-origin and cannot be measured.
 */
export function fitHeight(frame: HTMLIFrameElement): () => void {
  const observer = new ResizeObserver(resize);

  function resize(): void {
    const content = frame.contentDocument?.documentElement;
    if (!content) return;
    const edges = frame.offsetHeight - frame.clientHeight;
    frame.style.height = `${Math.ceil(content.getBoundingClientRect().height) + edges}px`;
  }

  function watch(): void {
    observer.disconnect();
    const content = frame.contentDocument?.documentElement;
    if (!content) return;
    observer.observe(content);
    resize();
  }

  frame.addEventListener("load", watch);
  return () => {
    frame.removeEventListener("load", watch);
    observer.disconnect();
  };
}
