import * as v from "valibot";
import { totalRecords } from "../../platform/http/paging.ts";
import { described, idOf, oneOf, text } from "../../platform/http/validate.ts";

/** Longest query, characters: room for every filter of a list. */
const MAX_QUERY = 2000;

const name = described(text(1, 255), "name of the filter; everyone who sees what it filters by can read it");
const screen = described(oneOf(["hosts", "events"]), "the list that it filters");

export const creation = v.object({
  name,
  screen,
  query: described(text(1, MAX_QUERY), "query of the list's address, for example led=0&tag=env%3Dprod"),
});
export type Creation = v.InferOutput<typeof creation>;
export const createReply = v.object({ id: described(v.number(), "id of the new filter") });
export const renaming = v.object({ id: idOf("filter"), name });
export const oneFilter = v.object({ id: idOf("filter") });

export const listReply = v.object({
  totalRecords,
  records: described(
    v.array(
      v.object({
        id: described(v.number(), "id of the filter"),
        name: described(v.string(), "name of the filter"),
        screen: described(v.picklist(["hosts", "events"]), "the list that it filters"),
        query: described(v.string(), "query of the list's address"),
        created: described(v.number(), "when it was saved, unix timestamp"),
      }),
    ),
    "saved filters, by name",
  ),
});
