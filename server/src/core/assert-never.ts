/** Makes the compiler check that every case of a union is handled. Throws if an unhandled case occurs at run time. */
export function assertNever(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`);
}
