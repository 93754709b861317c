import * as v from "valibot";
import { pageReply, pageSize, startindex } from "../../platform/http/paging.ts";
import { described, id, idOf, text } from "../../platform/http/validate.ts";
import { reference } from "../../platform/resources/marks.ts";

const MAX_TEXT = 1000;
/** Larger pages are cut to this size. */
const MAX_PAGE = 200;

const number = v.number();
const string = v.string();

export const publicNoteListArguments = v.object({
  hostid: described(v.optional(id), "notes on this host and on its incidents"),
  eventid: described(v.optional(id), "notes on the incident that contains this error event"),
  results: pageSize(50, MAX_PAGE),
  startindex: v.optional(startindex, 0),
});
export type PublicNoteListArguments = v.InferOutput<typeof publicNoteListArguments>;

export const publicNoteCreation = v.strictObject({
  hostid: described(v.optional(v.nullable(reference("host")), null), "id of the host that the note is about"),
  eventid: described(
    v.optional(v.nullable(id), null),
    "id of an error event: the note is about the incident that contains it",
  ),
  text: described(text(1, MAX_TEXT), "what the public is told; line breaks are kept"),
});
export type PublicNoteCreation = v.InferOutput<typeof publicNoteCreation>;

export const onePublicNote = v.strictObject({ id: idOf("note") });
export const publicNoteReply = v.object({ id: described(number, "id of the new note") });

const note = v.object({
  id: described(number, "id of the note"),
  hostid: described(number, "id of the host"),
  eventid: described(number, "id of an event of the incident that it is about; 0: it is about the host"),
  servicename: described(string, "name of the service that failed; empty: the note is about the host"),
  text: described(string, "what the public is told"),
  uname: described(string, "login name of the author, which is not shown to the public"),
  created: described(number, "when it was written, unix timestamp"),
  ended: described(number, "when it was replaced or withdrawn, unix timestamp; 0: neither"),
  endedby: described(string, "login name of the user who replaced or withdrew it; empty: nobody did"),
  shown: described(
    v.boolean(),
    "whether status pages show it with its host now; others of the last 14 days are in their history",
  ),
});

export const publicNoteListReply = v.object({
  ...pageReply,
  pages: described(
    v.array(string),
    "titles of the status pages on which the host is, of those that the caller manages",
  ),
  records: described(v.array(note), "notes, the newest first"),
});
