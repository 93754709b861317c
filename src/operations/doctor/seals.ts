import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { DatabaseConnection } from "../../platform/storage/connection.ts";
import { capitalised } from "../../platform/text.ts";
import { unreadableSeals } from "../key-rotation/sealed.repository.ts";
import type { DoctorFinding } from "./finding.ts";

/**
 * Secrets that secret.key does not open. They cannot be derived from anything else in the database, and nobody can set
 * them again before they are emptied.
 */
export function findSealFaults(client: DatabaseConnection, box: SecretBox): DoctorFinding[] {
  return unreadableSeals(client, box).map(({ owner, empty, also }) => {
    const remedy = also === undefined ? "empties it" : `empties it, and ${also}`;
    return {
      sentence: `${capitalised(owner)} does not open with secret.key. muster doctor --repair ${remedy}. Set it again after that.`,
      repair: empty,
    };
  });
}
