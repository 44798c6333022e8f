/**
 * The user name under which password managers store a new password. They read only fields in the page, visible or not.
 */
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
