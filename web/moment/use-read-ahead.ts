import { useRef } from "preact/hooks";
import { apiUrl } from "../api/client.ts";
import { useMuster } from "../state/muster.ts";

/**
 * Returns a function that reads what the page shows about another moment, so that it can be shown at once. It never
 * rejects: what could not be read ahead is read by the page, which then says what is wrong.
 */
export function useReadAhead(): (at: number) => Promise<void> {
  const { api, replies, momentReads } = useMuster();
  const inFlight = useRef(new Map<string, Promise<void>>());
  const read = async (url: string) => {
    const reply = await api.read<unknown>(url, null).catch(() => null);
    inFlight.current.delete(url);
    if (reply && !reply.notModified)
      replies.set(url, { data: reply.data, etag: reply.etag, aheadAt: Date.now() });
  };
  return async (at) => {
    const urls = new Set([...momentReads].map(({ path, args }) => apiUrl(path, { ...args, at })));
    for (const url of urls)
      if (!replies.readAhead(url) && !inFlight.current.has(url)) inFlight.current.set(url, read(url));
    await Promise.all([...urls].map((url) => inFlight.current.get(url)));
  };
}
