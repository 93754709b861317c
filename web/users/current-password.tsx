import { Field } from "../ui/form.tsx";

interface CurrentPasswordProps {
  label: string;
  name?: string;
  autoFocus?: boolean;
}

/** The present password of whoever signs in, or of the signed-in user. */
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
