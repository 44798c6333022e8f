import { Skeleton } from "../components/skeleton.tsx";

/** Where a page will be, while its code or its data is on the way. */
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
