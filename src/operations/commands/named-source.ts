import { ConfigError } from "../../platform/config/values.ts";
import { reasonOf } from "../../platform/text.ts";

/** Reads the file that an option or a variable names. @throws ConfigError that names the option or variable, too */
export function readFor<T>(source: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ConfigError(`${source}: ${reasonOf(error)}`);
  }
}
