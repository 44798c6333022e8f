import type { Channel } from "./channel.ts";

/** The processes of one service behind one port, from the view of one of them. */
export type Siblings = {
  /** The position of this process, from 0. A process that replaces a crashed one has the same position. */
  readonly index: number;
  readonly count: number;
  /** The channel to the primary process, which holds the state that the processes share. Null for a single process. */
  readonly primary: Channel | null;
};

/** A service with one process. All of its state is in its own memory. */
export const alone: Siblings = { index: 0, count: 1, primary: null };

/**
 * Divides a limit of the service among its processes and returns the part of this process. The parts add up to the
 * limit, so a process may get 0 if there are more processes than units.
 */
export function shareOf(limit: number, { index, count }: Siblings): number {
  return Math.floor(limit / count) + (index < limit % count ? 1 : 0);
}
