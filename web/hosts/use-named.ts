import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { sortKey } from "../../src/platform/sort-key.ts";
import type { SearchReply } from "../api/types.ts";
import { type Resource, useResource } from "../state/polled-resource.ts";
import type { NamedBy } from "./host-filters.tsx";

/** Debounce of the search while the user types, milliseconds. */
const SETTLED_MS = 150;
/** Longest text of a search. */
const MAX_TEXT = 255;

/**
 * The hosts with services or groups whose names contain a text, and the search for them. While the user types, they
 * are those for the previous text.
 */
export function useNamed(text: string): { isNamedBy: NamedBy; search: Resource<SearchReply> } {
  const settledText = useSignal(text);
  useEffect(() => {
    const timer = setTimeout(() => {
      settledText.value = text;
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const searchText = sortKey(settledText.value.trim()).slice(0, MAX_TEXT);
  const search = useResource<SearchReply>(
    "/status/search",
    { text: searchText, members: 1, results: 1 },
    { keepPrevious: true, skip: searchText === "" },
  );
  const members = searchText === "" ? undefined : search.data.value?.members;
  const isNamedBy = useMemo((): NamedBy => {
    const hosts = new Map((members ?? []).map(({ part, hosts }) => [part, new Set(hosts)]));
    return (part, hostId) => hosts.get(part)?.has(hostId) ?? false;
  }, [members]);
  return { isNamedBy, search };
}
