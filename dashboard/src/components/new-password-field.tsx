import { lackOfPassword, minPasswordLength } from "@florin/contract/password.ts";
import { useState } from "react";
import { TextField } from "./field.tsx";

/** A password to choose. It says what is missing when the field is left, and while it is being put right. */
export function NewPasswordField({ label = "Password" }: { label?: string }) {
  const [lack, setLack] = useState<string | null>(null);
  const lackOf = (text: string) => (text === "" ? null : lackOfPassword(text));
  return (
    <TextField
      name="password"
      label={label}
      type="password"
      autoComplete="new-password"
      hint={`At least ${minPasswordLength} characters, with letters and digits. A few unrelated words and a number are good.`}
      fault={lack}
      onBlur={(event) => setLack(lackOf(event.currentTarget.value))}
      onChange={(event) => lack && setLack(lackOf(event.currentTarget.value))}
    />
  );
}
