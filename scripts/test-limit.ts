/**
 * Milliseconds after which a single test is given up and counts as failed. A guard against hanging, not a requirement: on
 * a machine at a fraction of its speed, the longest tests took five minutes.
 */
export const TEST_LIMIT = 1_200_000;
