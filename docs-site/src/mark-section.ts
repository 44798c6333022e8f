/** Marks the link of the section that the reader sees, in the list "On this page". */
export function markSection(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".contents a")];
  if (links.length === 0) return;
  const sections = links.flatMap((link) => {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    return heading ? [{ link, heading }] : [];
  });
  /** Headings above this line have been reached. The top bar covers part of the window. */
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
