/**
 * An uptime in percent, or a target, rounded down to thousandths, so that only 100 shows as 100. The product is rounded
 * first: a binary fraction of 64.1 is slightly less than that.
 */
export function roundedUptime(percent: number): number {
  return Math.floor(Number((percent * 1000).toFixed(6))) / 1000;
}

/** An uptime in percent, or a target, rounded down: "99.95%". */
export function uptimeText(percent: number): string {
  const digits = roundedUptime(percent).toFixed(3);
  return `${digits.replace(/\.?0+$/, "")}%`;
}

/**
 * A percentage as a whole number. Only 100 itself becomes 100: just below it is 99, and just above it 101. A sum of
 * binary fractions is rounded first.
 */
export function wholePercent(percent: number): number {
  const exact = Number(percent.toFixed(6));
  const rounded = Math.round(exact);
  if (exact < 100) return Math.min(99, rounded);
  return exact > 100 ? Math.max(101, rounded) : rounded;
}
