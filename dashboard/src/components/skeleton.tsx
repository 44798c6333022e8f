/** Placeholder lines for text that is loading. */
export function Skeleton({ lines = 1 }: { lines?: number }) {
  return (
    <span aria-hidden="true" className="grid gap-2.5">
      {Array.from({ length: lines }, (_, line) => (
        <span
          key={line}
          className="h-3.5 animate-pulse rounded-sm bg-sunken"
          style={{ width: `${[88, 64, 76, 52][line % 4]}%` }}
        />
      ))}
    </span>
  );
}
