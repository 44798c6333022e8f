import { TextField } from "./field.tsx";

export function NewPasswordField({ label = "Password" }: { label?: string }) {
  return (
    <TextField
      name="password"
      label={label}
      type="password"
      autoComplete="new-password"
      hint="At least 12 characters. A few words that have nothing to do with each other are good."
    />
  );
}
