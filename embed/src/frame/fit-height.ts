/**
 * Keeps a frame of our own origin as tall as the document in it, through every navigation. Only such a document can be
 * measured: the bank's own page inside it stays closed to us.
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
