/** The minimum length of PCI DSS 8.3.6, which also requires letters and digits. */
export const minPasswordLength = 12;

/** Returns a message that names what the password lacks. Returns null if the password is acceptable. */
export function lackOfPassword(password: string): string | null {
  const missing = minPasswordLength - [...password].length;
  const lacks = [
    missing > 0 && `${missing} more ${missing === 1 ? "character" : "characters"}`,
    !/\p{L}/u.test(password) && "a letter",
    !/\p{Nd}/u.test(password) && "a digit",
  ].filter((lack) => lack !== false);
  if (lacks.length === 0) return null;
  const list = lacks.length > 1 ? `${lacks.slice(0, -1).join(", ")} and ${lacks.at(-1)}` : lacks[0];
  return `Passwords must have at least ${minPasswordLength} characters, with letters and digits. Add ${list}.`;
}
