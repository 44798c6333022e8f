import assert from "node:assert/strict";

/**
 * Where a thing may go from each of its states, and what takes it there, in words. The tables are printed as pictures
 * (docs/states.md), and every move is held against them: by the code that decides it where a pure function does, and in
 * every test by a guard in the database.
 */
export type Moves<State extends string> = Readonly<
  Record<State, Readonly<Partial<Record<State, string>>>>
>;

/** A move that the table does not have is a fault of ours, and nothing of it is written. To stay is no move. */
export function requireMove<State extends string>(
  moves: Moves<State>,
  id: string,
  from: State,
  to: State,
): void {
  assert(from === to || moves[from][to] !== undefined, `${id} cannot go from '${from}' to '${to}'`);
}
