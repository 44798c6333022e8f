import {
  notifyManager,
  type QueryFilters,
  useIsFetching,
  useQueryClient,
} from "@tanstack/react-query";
import {
  Children,
  createContext,
  type ReactNode,
  startTransition,
  useEffect,
  useState,
} from "react";
import { Skeleton } from "./skeleton.tsx";

/** The time after which the sections are shown although a read has not finished. */
const maxWaitMs = 10_000;

/** True after the sections of the page are shown. They no longer move after that. */
export const ShownContext = createContext(true);

const firstReads: QueryFilters = { predicate: ({ state }) => state.data === undefined };

/**
 * Shows the sections of a page when the first read of each section has finished. Otherwise, sections that load at
 * different times would move each other. Later reads have no effect. Renders the sections after the layout and the
 * heading, one after another, so that the browser can handle input between two sections. If React rendered all sections
 * together, it would run their effects in one task. The effects that start the reads of the overview would then block a
 * phone for a tenth of a second.
 */
export function ShownTogether({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [shown, setShown] = useState(false);
  const [rendered, setRendered] = useState(0);
  const [mounted, setMounted] = useState(false);
  const reads = useIsFetching(firstReads);
  // Counts empty children too. If a section appears later, the number of rendered children then still includes all
  // other sections.
  const isComplete = rendered >= Children.count(children);
  useEffect(() => {
    // The reads of the sections start in effects, which run before the effects of this component.
    if (isComplete) setMounted(true);
    else startTransition(() => setRendered(rendered + 1));
  }, [isComplete, rendered]);
  useEffect(() => {
    if (!mounted || reads > 0) return;
    // A read finishes shortly before its section is notified. If the sections were shown between the two, a section
    // could still show its placeholder. The queue therefore runs this function after the notification. Checks the reads
    // again, because the notified section may have started another read.
    notifyManager.schedule(() => {
      if (client.isFetching(firstReads) === 0) setShown(true);
    });
  }, [client, mounted, reads]);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), maxWaitMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="relative">
      {!shown && (
        <div className="absolute inset-x-0 top-0">
          <Skeleton lines={6} />
        </div>
      )}
      <div className={`grid grid-cols-1 gap-6 ${shown ? "" : "invisible"}`}>
        <ShownContext value={shown}>
          {Children.map(children, (section, place) => (place < rendered ? section : null))}
        </ShownContext>
      </div>
    </div>
  );
}
