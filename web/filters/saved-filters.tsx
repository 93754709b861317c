import { QUERY_NAMES } from "../../src/publishing/filters/query-names.ts";
import type { SavedFilters } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { NameDialog } from "../ui/name-dialog.tsx";
import { useDialog } from "../ui/use-dialog.ts";
import { FILTERS } from "./filters.texts.ts";

type SavedFilter = SavedFilters["records"][number];
type OpenDialog = { name: "save" } | { name: "rename" | "delete"; filter: SavedFilter };

/** The address of the list with the filter. */
export function addressOf({ screen, query }: Pick<SavedFilter, "screen" | "query">): string {
  return `/${screen}?${query}`;
}

/** What the address says of filters and order, without the page. */
function queryOf(screen: SavedFilter["screen"], address: URLSearchParams): string {
  const names: readonly string[] = QUERY_NAMES[screen];
  return new URLSearchParams([...address].filter(([name]) => names.includes(name))).toString();
}

interface SavedFilterListProps {
  screen: SavedFilter["screen"];
  /** Whether the list is filtered now. */
  filtered: boolean;
}

/** Links to the saved filters of a list, and for administrators the way to save, rename and delete them. */
export function SavedFilterList({ screen, filtered }: SavedFilterListProps) {
  const { api, router, session } = useMuster();
  const isAdmin = session.user.value?.admin === true;
  const filters = useResource<SavedFilters>("/filters/list");
  const { dialog, open, onClose } = useDialog<OpenDialog>(() => filters.refresh());
  const query = queryOf(screen, router.address.value.query);
  const records = filters.data.value?.records.filter((filter) => filter.screen === screen) ?? [];
  if (records.length === 0 && !(isAdmin && filtered)) return null;
  return (
    <div class="saved-list">
      {records.length > 0 && (
        <ul aria-label={FILTERS.list}>
          {records.map((filter) => (
            <li key={filter.id}>
              <a href={addressOf(filter)} aria-current={filter.query === query ? "page" : undefined}>
                {filter.name}
              </a>
              {isAdmin && (
                <span class="controls">
                  <button type="button" class="small quiet" onClick={open({ name: "rename", filter })}>
                    {FILTERS.rename}
                    <span class="sr-only"> {filter.name}</span>
                  </button>
                  <button type="button" class="small quiet" onClick={open({ name: "delete", filter })}>
                    {FILTERS.delete}
                    <span class="sr-only"> {filter.name}</span>
                  </button>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {isAdmin && filtered && (
        <button type="button" class="small" onClick={open({ name: "save" })}>
          {FILTERS.save}
        </button>
      )}
      {dialog?.name === "save" && (
        <NameDialog
          title={FILTERS.save}
          label={FILTERS.name}
          verb={FILTERS.saveVerb}
          act={(name) => api.post("/admin/filters/create", { name, screen, query })}
          onClose={onClose}
        >
          <p class="muted">{FILTERS.saveHint}</p>
        </NameDialog>
      )}
      {dialog?.name === "rename" && (
        <NameDialog
          title={FILTERS.renameOf(dialog.filter.name)}
          label={FILTERS.name}
          verb={FILTERS.rename}
          name={dialog.filter.name}
          act={(name) => api.post("/admin/filters/rename", { id: dialog.filter.id, name })}
          onClose={onClose}
        />
      )}
      {dialog?.name === "delete" && (
        <FormDialog
          title={FILTERS.deleteOf(dialog.filter.name)}
          verb={FILTERS.deleteVerb}
          danger
          act={() => api.post("/admin/filters/delete", { id: dialog.filter.id })}
          onClose={onClose}
        >
          <p>{FILTERS.deleteHint}</p>
        </FormDialog>
      )}
    </div>
  );
}
