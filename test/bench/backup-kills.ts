/** Muster is killed while it makes, uploads and restores backups. Nothing may be half there. */
import { backupKills } from "../e2e/backup-kills.ts";
import { seeds } from "../support/random.ts";
import type { Figure } from "./harness/figures.ts";

export async function benchBackupKills(rounds: number): Promise<Figure[]> {
  const [seed = 1] = seeds(Date.now() % 1_000_000);
  console.log(`SEED=${seed}`);
  const { backups, uploads, restores, half } = await backupKills(rounds, seed);
  for (const what of half) console.error(what);
  return [
    { what: "kills while a backup is made", value: backups },
    { what: "kills at a request to the bucket", value: uploads },
    { what: "kills while a backup is restored", value: restores },
    { what: "found half there", value: half.length, target: { atMost: 0 } },
  ];
}
