import { callerOf, managedReach, scopeOf, turnOf } from "../../platform/http/context.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write, writeJson } from "../../platform/http/operation.ts";
import { resourceOperations } from "../../platform/resources/resource.routes.ts";
import type { RehearsalQueries } from "./rehearsals.queries.ts";
import {
  oneRehearsal,
  rehearsalListArguments,
  rehearsalListReply,
  rehearsalReply,
  startArguments,
  startReply,
  suggestionReply,
  weeklyRehearsal,
} from "./rehearsals.schemas.ts";
import { type Rehearsals, rehearsalRefused } from "./rehearsals.service.ts";
import { type WeeklyRehearsals, weeklyRehearsalExists } from "./weekly.service.ts";

/** Operations on rehearsals: who may change a rule may rehearse it, and administrators also schedules. */
export function rehearsalOperations(
  rehearsals: Rehearsals,
  weekly: WeeklyRehearsals,
  queries: RehearsalQueries,
): Operation[] {
  const unknown = noSuch("rehearsal");
  return [
    read("/admin/rehearsals/list", {
      access: "manage",
      summary: "List the rehearsals of rules and schedules, newest first",
      request: rehearsalListArguments,
      response: rehearsalListReply,
      handle: (args, c) => queries.rehearsalList(turnOf(c), args, scopeOf(c, "manage")),
    }),
    read("/admin/rehearsals/get", {
      access: "manage",
      summary: "A rehearsal, with its result per recipient and channel",
      request: oneRehearsal,
      response: rehearsalReply,
      errors: [unknown],
      handle: ({ id }, c) => queries.rehearsal(turnOf(c), id, scopeOf(c, "manage")),
    }),
    read("/admin/rehearsals/suggestions", {
      access: "admin",
      summary: "Channels without a delivery for 30 days, and what to rehearse to use them",
      response: suggestionReply,
      handle: (_args, c) => queries.rehearsalSuggestions(turnOf(c)),
    }),
    writeJson("/admin/rehearsals/start", {
      access: "manage",
      summary: "Rehearse a rule or a schedule now: messages say that nothing is wrong",
      request: startArguments,
      response: startReply,
      errors: [
        because(errors.badArgument, "Its fields contradict each other"),
        because(errors.missingArgument, "Neither rule nor schedule is set"),
        rehearsalRefused,
      ],
      audit: {
        subject: "rehearsal",
        id: (_args, reply) => reply?.id,
        details: (_args, { id }) => rehearsals.audited(id),
      },
      handle: (args, c) => ({ id: rehearsals.start(args, callerOf(c).uname, managedReach(c)) }),
    }),
    write("/admin/rehearsals/delete", {
      access: "manage",
      summary: "Delete a rehearsal with its result; one that is ongoing ends, and sends no more messages",
      request: oneRehearsal,
      errors: [unknown],
      audit: { subject: "rehearsal", id: ({ id }) => id, state: ({ id }) => rehearsals.audited(id) },
      handle: ({ id }, c) => rehearsals.delete(id, managedReach(c)),
    }),
    ...resourceOperations({
      path: "/admin/weeklyrehearsals",
      resource: weeklyRehearsal,
      collection: weekly,
      queries: { list: queries.weeklyRehearsalList, get: queries.weeklyRehearsal },
      access: { read: "manage", change: "manage" },
      reach: managedReach,
      subject: "weeklyrehearsal",
      taken: weeklyRehearsalExists,
      summaries: {
        list: "List the weekly rehearsals",
        get: "A weekly rehearsal",
        create: "Create a weekly rehearsal; it is first held when it is next due",
        update: "Change a weekly rehearsal",
        delete: "Delete a weekly rehearsal; earlier results are kept",
      },
    }),
  ];
}
