/** PCI DSS 8.3.6: passwords have at least 12 characters, with letters and digits. */
export const minPasswordLength = 12;

/** Returns the sentence that says what the password lacks, or null when it lacks nothing. */
export function lackOfPassword(password: string): string | null {
  const missing = minPasswordLength - [...password].length;
  const lacks = [
    missing > 0 && `${missing} more ${missing === 1 ? "character" : "characters"}`,
    !/\p{L}/u.test(password) && "a letter",
    !/\p{Nd}/u.test(password) && "a digit",
  ].filter((lack) => lack !== false);
  if (lacks.length === 0) return null;
  const list = lacks.length > 1 ? `${lacks.slice(0, -1).join(", ")} and ${lacks.at(-1)}` : lacks[0];
  return `A password has at least ${minPasswordLength} characters, with letters and digits. This one needs ${list}.`;
}
