import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { DatabaseConnection } from "../../platform/storage/connection.ts";
import { counted } from "../../platform/text.ts";
import { unreadableSeals } from "../key-rotation/sealed.repository.ts";
import type { DoctorFinding } from "./finding.ts";

/** Secrets that secret.key does not open. They cannot be derived from anything else in the database. */
export function findSealFaults(client: DatabaseConnection, box: SecretBox): DoctorFinding[] {
  return [...unreadableSeals(client, box)].map(([place, count]) => ({
    sentence: `${counted(count, `secret in ${place} does`, `secrets in ${place} do`)} not open with secret.key: set ${count === 1 ? "it" : "them"} again.`,
    repair: null,
  }));
}
