/** The space that a backup needs. Pure functions. */
import { StartupError } from "../../platform/startup-error.ts";

/** Space on the disk of the data folder that a backup leaves to Muster, bytes. */
export const RESERVE = 64 * 1024 * 1024;
/** Factor by which an archive may be larger than the last one before its size is a surprise. */
const GROWTH = 1.5;
/**
 * The share of the database by which its log may grow while it is copied. The log cannot be reused until then, but what
 * agents report is written much slower than a database is copied.
 */
const LOG_SHARE = 0.1;

/**
 * @param databaseBytes size of the database
 * @param lastBytes size of the last archive; null before the first
 * @returns what is needed on the disk of the data folder, and at the place, bytes
 */
export function spaceNeeded(
  databaseBytes: number,
  lastBytes: number | null,
): { data: number; place: number } {
  const place = Math.min(databaseBytes, (lastBytes ?? databaseBytes) * GROWTH);
  return { data: databaseBytes * (1 + LOG_SHARE) + place + RESERVE, place };
}

const MB = 1_000_000;

/** @param free null where space is not limited or not known @throws StartupError when there is less than is needed */
export function assertSpace(free: number | null, needed: number, where: string): void {
  if (free !== null && free < needed)
    // Rounded to the nearest, both could be the same number.
    throw new StartupError(
      `${where} has ${Math.floor(free / MB)} MB free, and ${Math.ceil(needed / MB)} MB are needed`,
    );
}
