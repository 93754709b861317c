import { NamedRows } from "../../platform/resources/named.repository.ts";
import { savedFilters } from "../../platform/storage/schema.ts";

export type FilterRow = typeof savedFilters.$inferSelect;

export const filterRows = new NamedRows<FilterRow>(savedFilters);
