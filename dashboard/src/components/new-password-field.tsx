import { lackOfPassword, minPasswordLength } from "@florin/contract/password.ts";
import { useState } from "react";
import { TextField } from "./field.tsx";

/** A field for a new password. Shows what is missing on blur, and then updates while the user types. */
export function NewPasswordField({ label = "Password" }: { label?: string }) {
  const [lack, setLack] = useState<string | null>(null);
  const lackOf = (text: string) => (text === "" ? null : lackOfPassword(text));
  return (
    <TextField
      name="password"
      label={label}
      type="password"
      autoComplete="new-password"
      hint={`At least ${minPasswordLength} characters with letters and digits. A few unrelated words and a number make a good password.`}
      fault={lack}
      onBlur={(event) => setLack(lackOf(event.currentTarget.value))}
      onChange={(event) => lack && setLack(lackOf(event.currentTarget.value))}
    />
  );
}
