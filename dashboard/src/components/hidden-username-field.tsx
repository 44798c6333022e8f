/**
 * A hidden field with the user name under which password managers store a new password. Password managers read only
 * fields that are in the page.
 */
export function HiddenUsernameField({ email }: { email: string }) {
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
