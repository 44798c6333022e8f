import assert from "node:assert/strict";

/**
 * The allowed transitions of a state machine, each with its cause in words. The tables are drawn in docs/states.md.
 * Every transition is checked against them: in the code where a pure function decides it, and in every test by a
 * trigger in the database.
 */
export type Transitions<State extends string> = Readonly<
  Record<State, Readonly<Partial<Record<State, string>>>>
>;

/** Asserts that the table allows a transition, before anything is written. Staying in a state is always allowed. */
export function assertTransition<State extends string>(
  moves: Transitions<State>,
  id: string,
  from: State,
  to: State,
): void {
  assert(
    from === to || moves[from][to] !== undefined,
    `${id} cannot change from '${from}' to '${to}'`,
  );
}
