/** Reads passwords from the passfile, in which libpq looks for them. The driver's own way prints warnings. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { readNamed } from "../../files/named-file.ts";
import { exposureOf } from "../../files/private-file.ts";
import type { PostgresHost, PostgresOptions } from "./options.ts";

/** HOST:PORT:DATABASE:USER:PASSWORD. In a field, `:` and `\` follow a backslash; in the password, `:` need not. */
const ENTRY = /^((?:\\.|[^:\\])*):((?:\\.|[^:\\])*):((?:\\.|[^:\\])*):((?:\\.|[^:\\])*):(.+)$/;

const unescaped = (field: string) => field.replace(/\\(.)/g, "$1");

/** The password of the first line in which each field is `*` or the wanted text; null without such a line. */
function passwordIn(text: string, wanted: readonly string[]): string | null {
  for (const line of text.split(/\r?\n/)) {
    const [, host = "", port = "", database = "", user = "", password] = ENTRY.exec(line) ?? [];
    const fields = [host, port, database, user];
    const isMeant = fields.every((field, i) => field === "*" || unescaped(field) === wanted[i]);
    if (password !== undefined && isMeant) return unescaped(password);
  }
  return null;
}

/**
 * The password for a host that asks for one. As for libpq, a file that others can read does not count.
 * @throws Error that says what is missing
 */
export function passwordFor(
  { host, port }: PostgresHost,
  { database, user }: Pick<PostgresOptions, "database" | "user">,
): string {
  const file = process.env.PGPASSFILE ?? join(process.env.HOME ?? homedir(), ".pgpass");
  const isThere = existsSync(file);
  const exposure = isThere ? exposureOf(file) : null;
  const isUsable = isThere && exposure === null;
  const wanted = [host, String(port), database, user];
  const password = isUsable ? passwordIn(readNamed(file).toString("utf8"), wanted) : null;
  if (password === null) throw new Error(`it asks for a password, and ${exposure ?? "none is given"}`);
  return password;
}
