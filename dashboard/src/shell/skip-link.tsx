/** Lets keyboard users skip the navigation. */
export function SkipLink() {
  return (
    <a
      href="#page"
      className="sr-only z-50 rounded-md bg-surface px-3 py-2 shadow-raised focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
    >
      Skip to content
    </a>
  );
}
