import { callerOf, reachOf, turnOf } from "../../platform/http/context.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write, writeJson } from "../../platform/http/operation.ts";
import type { PublicNoteQueries } from "./public-notes.queries.ts";
import {
  onePublicNote,
  publicNoteCreation,
  publicNoteListArguments,
  publicNoteListReply,
  publicNoteReply,
} from "./public-notes.schemas.ts";
import type { PublicNotes } from "./public-notes.service.ts";

/** Operations on what the public is told: who sees a host reads them, who manages it writes them. */
export function publicNoteOperations(
  notes: PublicNotes,
  queries: PublicNoteQueries,
  pages: { forgetShown(): void },
): Operation[] {
  return [
    read("/publicnotes/list", {
      access: "session",
      summary: "List the public notes on a host or an incident",
      request: publicNoteListArguments,
      response: publicNoteListReply,
      errors: [
        because(errors.badArgument, "Its fields contradict each other"),
        because(errors.missingArgument, "Neither hostid nor eventid is set"),
        noSuch("host"),
        noSuch("event"),
      ],
      handle: (args, c) => queries.publicNoteList(turnOf(c), args, reachOf(c, "manage")),
    }),
    writeJson("/publicnotes/create", {
      access: "manage",
      summary: "Publish a note on a host or an incident on its status pages, in place of the last one",
      request: publicNoteCreation,
      response: publicNoteReply,
      errors: [because(errors.badArgument, "The failure ended long ago"), noSuch("event")],
      audit: {
        subject: "publicnote",
        id: (_args, reply) => reply?.id,
        details: (_args, { id }) => notes.audited(id),
      },
      handle: (args, c) => {
        const id = notes.create(args, callerOf(c).uname, reachOf(c, "manage"));
        pages.forgetShown();
        return { id };
      },
    }),
    write("/publicnotes/withdraw", {
      access: "manage",
      summary: "Withdraw a note: it stays in the history of its status pages",
      request: onePublicNote,
      errors: [noSuch("note")],
      audit: { subject: "publicnote", id: ({ id }) => id, details: ({ id }) => notes.audited(id) },
      handle: ({ id }, c) => {
        notes.withdraw(id, callerOf(c).uname, reachOf(c, "manage"));
        pages.forgetShown();
      },
    }),
  ];
}
