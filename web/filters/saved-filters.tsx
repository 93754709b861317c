import { filterIn, queryOf, type Screen } from "../../src/publishing/filters/list-addresses.ts";
import type { SavedFilters } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { SavedList } from "../ui/saved-list.tsx";
import { Unread } from "../ui/states.tsx";
import { FILTERS } from "./filters.texts.ts";

type SavedFilter = SavedFilters["records"][number];

/** The address of the list with the filter. */
export function addressOf({ filter }: SavedFilter): string {
  return `/${filter.screen}?${queryOf(filter)}`;
}

interface SavedFilterListProps {
  screen: Screen;
  /** Whether the list is filtered now. */
  filtered: boolean;
}

/** Links to the saved filters of a list, and for administrators the way to save, rename and delete them. */
export function SavedFilterList({ screen, filtered }: SavedFilterListProps) {
  const { router, session } = useMuster();
  const canSave = session.isAdmin && filtered;
  const filters = useResource<SavedFilters>("/filters/list", {}, { present: true });
  const filter = filterIn(screen, router.address.value.query);
  const records = filters.data.value?.records.filter((record) => record.filter.screen === screen) ?? [];
  return (
    <>
      {records.length === 0 && <Unread from={filters} what={FILTERS.list} />}
      {(records.length > 0 || canSave) && (
        <SavedList
          path="/filters"
          records={records}
          addressOf={addressOf}
          current={`/${screen}?${queryOf(filter)}`}
          content={canSave ? { filter } : null}
          texts={FILTERS}
          onChange={() => filters.refresh()}
        />
      )}
    </>
  );
}
