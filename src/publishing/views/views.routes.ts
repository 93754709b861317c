import type { HistoryQueries } from "../../monitoring/history/history.queries.ts";
import { CUSTOM } from "../../monitoring/uptime/range.ts";
import { type AppContext, scopeOf, turnOf } from "../../platform/http/context.ts";
import { COOKIES, cookieOf, giveCookie } from "../../platform/http/cookies.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { VERSION } from "../../platform/version.ts";
import type { ViewQueries } from "./views.queries.ts";
import {
  createReply,
  creation,
  listReply,
  oneToken,
  oneView,
  opening,
  openReply,
  renaming,
  tokenCreation,
  tokenListReply,
  tokenReply,
  type ViewContent,
  wallReply,
} from "./views.schemas.ts";
import { noSuchWall, type Views, viewExists } from "./views.service.ts";

type ShownQueries = Pick<HistoryQueries, "historyTop" | "historyCompare">;

/** The time span of the comparison on a wall, seconds. */
const COMPARED_SPAN = 86_400;
/** Points in time of the comparison on a wall: about one in five minutes. */
const COMPARED_POINTS = 300;

/** What a view shows now, the same for every reader: the hosts by its number, and the last day of those it compares. */
async function shownOf(content: ViewContent, queries: ShownQueries, c: AppContext) {
  const { type, descriptor, hostgroupid, order, results, hostid, serviceid } = content;
  const groups = hostgroupid === undefined ? undefined : [hostgroupid];
  const request = { type, descriptor, hostgroupid: groups, order, results };
  const top = (await queries.historyTop(turnOf(c), request, "all")).value;
  if (hostid.length + serviceid.length === 0) return { top };
  const range = { range: CUSTOM, datefrom: top.date - COMPARED_SPAN, dateto: top.date } as const;
  const comparison = await queries.historyCompare(
    turnOf(c),
    { hostid, serviceid, type, descriptor, ...range, points: COMPARED_POINTS },
    "all",
  );
  return { top, comparison: comparison.value };
}

/** Saved views of the fleet, and walls that show one. */
export function viewOperations(views: Views, queries: ShownQueries & ViewQueries): Operation[] {
  const ofView = { subject: "view", id: ({ id }: { id: number }) => id };
  return [
    read("/views/list", {
      access: "session",
      summary: "List the saved views of the fleet, as far as the caller sees what they show",
      response: listReply,
      handle: (_args, c) => queries.viewList(turnOf(c), scopeOf(c)),
    }),
    write("/admin/views/create", {
      access: "admin",
      summary: "Save a view of the fleet: a number, a group, an order, and what is compared",
      request: creation,
      response: createReply,
      errors: [viewExists],
      audit: {
        subject: "view",
        id: (_args, reply) => reply?.id,
        details: ({ name, type }) => ({ name, type }),
      },
      handle: (args) => ({ id: views.create(args) }),
    }),
    write("/admin/views/rename", {
      access: "admin",
      summary: "Give a saved view another name; walls that show it go on",
      request: renaming,
      errors: [noSuch("view"), viewExists],
      audit: { ...ofView, details: ({ name }) => ({ name }) },
      handle: ({ id, name }) => views.rename(id, name),
    }),
    write("/admin/views/delete", {
      access: "admin",
      summary: "Delete a saved view; walls that show it stop",
      request: oneView,
      errors: [noSuch("view")],
      audit: ofView,
      handle: (args) => views.delete(args.id),
    }),
    read("/admin/views/tokens/list", {
      access: "admin",
      summary: "List the tokens with which walls show a view",
      response: tokenListReply,
      handle: () => views.tokens(),
    }),
    write("/admin/views/tokens/create", {
      access: "admin",
      summary: "Create a token that shows one view and can do nothing else; only this reply contains it",
      request: tokenCreation,
      response: tokenReply,
      errors: [noSuch("view"), because(errors.badRequest, "There is the maximum number of tokens")],
      audit: { ...ofView, details: ({ name }, { id }) => ({ name, number: id }) },
      handle: (args) => views.createToken(args.id, args.name),
    }),
    write("/admin/views/tokens/delete", {
      access: "admin",
      summary: "Revoke the token of a view; its wall stops",
      request: oneToken,
      errors: [noSuch("token of a view")],
      audit: { subject: "view token", id: (args) => args.id },
      handle: (args) => views.revoke(args.id),
    }),
    write("/wall/open", {
      access: "public",
      summary: "Exchange the token of a view for a cookie that shows the view and can do nothing else",
      request: opening,
      response: openReply,
      errors: [noSuchWall],
      audit: "none",
      handle: ({ token }, c) => {
        const { name } = views.viewOf(token);
        giveCookie(c, COOKIES.wall, token);
        return { name };
      },
    }),
    read("/wall/show", {
      access: "public",
      summary: "What a wall shows, for the cookie that wall/open gave",
      response: wallReply,
      errors: [noSuchWall],
      handle: async (_args, c) => {
        const { name, content } = views.viewOf(cookieOf(c, COOKIES.wall));
        return { name, version: VERSION, ...content, ...(await shownOf(content, queries, c)) };
      },
    }),
  ];
}
