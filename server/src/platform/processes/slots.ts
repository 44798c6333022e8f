import type { Channel } from "./channel.ts";
import type { Hub } from "./hub.ts";
import type { Siblings } from "./siblings.ts";

/** Counts long-lived resources, such as event streams, over all processes of a service. */
export type Slots = {
  /**
   * Occupies a slot of the key. Returns a function that releases it, or null if the maximum number of slots is
   * occupied. The slots of a process that exits are released.
   */
  occupy(key: string, max: number): Promise<(() => void) | null>;
};

const topics = { occupy: "slots: occupy", release: "slots: release" } as const;

type Occupy = { readonly key: string; readonly max: number };

export function createSlots(name: string, { primary }: Siblings): Slots {
  if (!primary) return createLocalSlots();
  return {
    async occupy(key, max) {
      const named = `${name} ${key}`;
      const request: Occupy = { key: named, max };
      if (!(await primary.request(topics.occupy, request))) return null;
      return () => primary.send(topics.release, named);
    },
  };
}

function createLocalSlots(): Slots {
  const counts = createCounts();
  return {
    async occupy(key, max) {
      if (counts.of(key) >= max) return null;
      counts.add(key, 1);
      return () => counts.add(key, -1);
    },
  };
}

/** Serves the slots to the workers. */
export function serveSlots(hub: Hub): void {
  const counts = createCounts();
  const held = new Map<Channel, ReturnType<typeof createCounts>>();
  hub.handle(topics.occupy, (body, worker) => {
    const { key, max } = body as Occupy;
    if (counts.of(key) >= max) return false;
    const ofWorker = held.get(worker) ?? createCounts();
    held.set(worker, ofWorker);
    counts.add(key, 1);
    ofWorker.add(key, 1);
    return true;
  });
  hub.handle(topics.release, (body, worker) => {
    counts.add(body as string, -1);
    held.get(worker)?.add(body as string, -1);
  });
  hub.onRemoved((worker) => {
    for (const [key, count] of held.get(worker)?.all() ?? []) counts.add(key, -count);
    held.delete(worker);
  });
}

function createCounts() {
  const counts = new Map<string, number>();
  return {
    of: (key: string) => counts.get(key) ?? 0,
    all: () => [...counts],
    add(key: string, by: number) {
      const count = (counts.get(key) ?? 0) + by;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    },
  };
}
