import { Skeleton } from "../components/skeleton.tsx";

/** Shown while a page's code or data is loading. */
export function PendingPage() {
  return (
    <div className="mx-auto w-full max-w-6xl px-4 pt-8 sm:px-8">
      <p role="status" className="sr-only">
        Loading
      </p>
      <Skeleton lines={6} />
    </div>
  );
}
