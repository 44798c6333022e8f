import Type from "typebox";

/** A time zone of the IANA database, such as `Europe/Berlin` or `UTC`. */
export function timeZone(description: string) {
  return Type.Refine(
    Type.String({
      minLength: 1,
      maxLength: 64,
      // Excludes offsets such as `+02:00`, which ignore daylight saving time.
      pattern: "^[A-Za-z][A-Za-z0-9_+\\-]*(\\/[A-Za-z0-9_+\\-]+){0,2}$",
      "x-florin": "time_zone",
      description,
      examples: ["Europe/Berlin"],
    }),
    isTimeZone,
  );
}

/** Returns whether the runtime knows the time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
