/** Proves to the compiler that every case of a union was named; reached at run time, it is our bug. */
export function unreachable(value: never): never {
  throw new Error(`A case was not handled: ${JSON.stringify(value)}`);
}
