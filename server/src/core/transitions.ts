import assert from "node:assert/strict";

/**
 * The allowed transitions of a state machine, each with a description of its cause. `docs/states.md` shows the tables
 * as diagrams. The function that decides on a transition checks the transition against the table. In tests, a database
 * trigger checks every transition.
 */
export type Transitions<State extends string> = Readonly<
  Record<State, Readonly<Partial<Record<State, string>>>>
>;

/** Asserts that the table allows a transition, before anything is written. Staying in a state is always allowed. */
export function assertTransition<State extends string>(
  transitions: Transitions<State>,
  id: string,
  from: State,
  to: State,
): void {
  assert(
    from === to || transitions[from][to] !== undefined,
    `${id} cannot change from '${from}' to '${to}'`,
  );
}
