/** Makes the compiler check that every case of a union is handled. A call at run time is a bug. */
export function assertNever(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`);
}
