/** Keepers of passwords file a new one under this name. They look only at fields that are there, seen or not. */
export function UsernameForKeepers({ email }: { email: string }) {
  return (
    <input
      type="text"
      name="username"
      value={email}
      readOnly
      autoComplete="username"
      tabIndex={-1}
      aria-hidden="true"
      className="sr-only"
    />
  );
}
