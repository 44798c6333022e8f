import { lackOfPassword, minPasswordLength } from "@florin/contract/password.ts";
import { useState } from "react";
import { TextField } from "./field.tsx";

/**
 * A field for a new password. On blur, shows the requirements that the password does not meet. From then on, updates
 * this message while the person types.
 */
export function NewPasswordField({ label = "Password" }: { label?: string }) {
  const [missing, setMissing] = useState<string | null>(null);
  const missingFrom = (text: string) => (text === "" ? null : lackOfPassword(text));
  return (
    <TextField
      name="password"
      label={label}
      type="password"
      autoComplete="new-password"
      hint={`At least ${minPasswordLength} characters with letters and digits. A few unrelated words and a number make a good password.`}
      fault={missing}
      onBlur={(event) => setMissing(missingFrom(event.currentTarget.value))}
      onChange={(event) => missing && setMissing(missingFrom(event.currentTarget.value))}
    />
  );
}
