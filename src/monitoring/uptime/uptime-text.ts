/** An uptime in percent, or a target, rounded down so that only 100 shows as 100: "99.95%". */
export function uptimeText(percent: number): string {
  const digits = (Math.floor(percent * 1000) / 1000).toFixed(3);
  return `${digits.replace(/\.?0+$/, "")}%`;
}
