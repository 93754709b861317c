import { Field } from "../ui/fields.tsx";

interface CurrentPasswordProps {
  label: string;
  name?: string;
  autoFocus?: boolean;
}

/** The field for a password that a user has: to sign in, or to confirm a change. */
export function CurrentPassword({ label, name = "password", autoFocus = false }: CurrentPasswordProps) {
  return (
    <Field
      label={label}
      name={name}
      type="password"
      autoComplete="current-password"
      required
      autoFocus={autoFocus}
    />
  );
}
