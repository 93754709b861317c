import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { Connection } from "../../platform/storage/connection.ts";
import { unreadableSeals } from "../key-rotation/sealed.repository.ts";
import type { Finding } from "./finding.ts";

/** Secrets that secret.key does not open. Nothing else in the database tells what they were. */
export function findSealFaults(client: Connection, box: SecretBox): Finding[] {
  return [...unreadableSeals(client, box)].map(([place, count]) => ({
    sentence: `${count} secrets in ${place} do not open with secret.key: they have to be set anew.`,
    repair: null,
  }));
}
