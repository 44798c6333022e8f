/** A condition that is not accepted. The message is written for the author of the condition. */
export class Unusable extends Error {
  /** True if the message names the fix. */
  readonly isExplained: boolean;

  constructor(message: string, isExplained = false) {
    super(message);
    this.isExplained = isExplained;
  }
}

export function rejected(what: string): Unusable {
  return new Unusable(`The expression is not valid: ${what}.`);
}

/** Returns the error for a function that is used incorrectly. The message names the fix. */
export function misused(what: string): Unusable {
  return new Unusable(`The expression is not valid: ${what}.`, true);
}

export function notAvailable(what: string): Unusable {
  return rejected(
    `rules cannot contain ${what}. Use ==, in, startsWith, endsWith, contains or size`,
  );
}

/**
 * Returns the description of a position, such as `at character 9`. It includes the line if the expression has several
 * lines.
 */
export function placeOf(expression: string, index: number): string {
  const before = expression.slice(0, index).split("\n");
  const character = `character ${(before.at(-1) as string).length + 1}`;
  return expression.includes("\n") ? `at line ${before.length}, ${character}` : `at ${character}`;
}
