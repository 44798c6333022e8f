/** Marks the link of the section that the reader sees, in the list "On this page". */
export function markSection(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".contents a")];
  if (links.length === 0) return;
  const sections = links.flatMap((link) => {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    return heading ? [{ link, heading }] : [];
  });
  /**
   * The section that the reader has reached is the last one whose heading is above this line. The top bar covers the
   * top of the window.
   */
  const line = 120;

  function mark() {
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const reached = sections.filter(({ heading }) => heading.getBoundingClientRect().top < line);
    const current = (atEnd ? sections.at(-1) : reached.at(-1)) ?? sections[0];
    for (const { link } of sections) {
      if (link === current?.link) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    }
  }

  addEventListener("scroll", () => requestAnimationFrame(mark), { passive: true });
  mark();
}
