/**
 * The page of a new limit on a number of a host.
 * @param number its key among those that limits can be about, or the code of a statistic
 * @param service name of the service that has it
 * @param at the value that is exceeded, and what tells numbers of the same statistic apart
 */
export function limitAddress(
  number: string,
  hostId: number,
  service?: string,
  { value, descriptor }: { value?: number; descriptor?: string } = {},
): string {
  const query = new URLSearchParams({
    number,
    host: String(hostId),
    ...(service && { service }),
    ...(descriptor && { descriptor }),
    ...(value !== undefined && { value: String(value) }),
  });
  return `/limits/edit?${query}`;
}
