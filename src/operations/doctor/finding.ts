/** A fault that the doctor found in the database. */
export interface DoctorFinding {
  /** A sentence about the fault, for administrators. */
  sentence: string;
  /** Repairs it; null if the correct state cannot be derived from the rest of the database. */
  repair: (() => void) | null;
}
