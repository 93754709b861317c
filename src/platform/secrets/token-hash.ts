import { createHash } from "node:crypto";

/**
 * The form in which a random token is stored, so that reading the database does not reveal it. A plain hash suffices:
 * nobody can guess 128 random bits, so hashing need not be slow.
 */
export function tokenHash(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
