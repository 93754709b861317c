/** Something in the database that is not as it should be. */
export interface Finding {
  /** What is wrong, for administrators. */
  sentence: string;
  /** Puts it right; null when it cannot be worked out from the rest of the database. */
  repair: (() => void) | null;
}
