/**
 * The address of the page for a new limit on a metric of a host.
 * @param metricKey key of the metric among those for limits, or the code of a statistic
 * @param service name of its service
 * @param at the value to exceed, and the descriptor if the service has several values of the statistic
 */
export function limitAddress(
  metricKey: string,
  hostId: number,
  service?: string,
  { value, descriptor }: { value?: number; descriptor?: string } = {},
): string {
  const query = new URLSearchParams({
    number: metricKey,
    host: String(hostId),
    ...(service && { service }),
    ...(descriptor && { descriptor }),
    ...(value !== undefined && { value: String(value) }),
  });
  return `/limits/edit?${query}`;
}
