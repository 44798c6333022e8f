import type { StatefulObject } from "../../tools/states-page.ts";

/**
 * Returns triggers that check every state transition in a test database against the transition tables. A test that
 * causes a transition outside these tables fails, and the error contains the transition. Production databases have no
 * triggers on merchant data. A test that corrupts rows deliberately disables the triggers: `set_config('florin.damage',
 * 'on', true)`.
 */
export function transitionTriggers(nouns: readonly StatefulObject[]): string {
  return nouns
    .flatMap(({ transitions, storedIn: stored }) => (stored ? [{ transitions, ...stored }] : []))
    .map(({ transitions, table, column }) => {
      const pairs = Object.entries(transitions).flatMap(([from, ways]) =>
        Object.keys(ways).map((to) => `('${from}', '${to}')`),
      );
      return `
        create function guard_${table}() returns trigger language plpgsql as $$
        begin
          if (old.${column}, new.${column}) not in (${pairs.join(", ")})
             and current_setting('florin.damage', true) is distinct from 'on' then
            raise exception '${table}: no transition from % to %', old.${column}, new.${column};
          end if;
          return new;
        end $$;
        create trigger guard_states before update of ${column} on ${table}
          for each row when (old.${column} is distinct from new.${column}) execute function guard_${table}();`;
    })
    .join("\n");
}
