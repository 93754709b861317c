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
