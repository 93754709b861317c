import * as v from "valibot";
import { allowedValue } from "../../platform/http/validate.ts";
import { StartupError } from "../../platform/startup-error.ts";

/**
 * A value of the command line that an operation takes, by the operation's own rule.
 * @param name of the option or operand, as the administrator wrote it: the operation's error names its argument instead
 * @throws StartupError that says what the value must be
 */
export function checked<S extends v.GenericSchema>(
  name: string,
  schema: S,
  value: unknown,
): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (!result.success) throw new StartupError(`${name} must be ${allowedValue(schema) ?? "a text"}`);
  return result.output;
}
