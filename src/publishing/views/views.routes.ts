import type { HistoryQueries } from "../../monitoring/history/history.queries.ts";
import { CUSTOM } from "../../monitoring/uptime/range.ts";
import { DAY } from "../../platform/clock.ts";
import { type AppContext, turnOf } from "../../platform/http/context.ts";
import { COOKIES, cookieOf, giveCookie } from "../../platform/http/cookies.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { resourceOperations } from "../../platform/resources/resource.routes.ts";
import { VERSION } from "../../platform/version.ts";
import type { ViewQueries } from "./views.queries.ts";
import {
  oneToken,
  opening,
  openReply,
  type ShownContent,
  tokenCreation,
  tokenListReply,
  tokenReply,
  view,
  wallReply,
} from "./views.schemas.ts";
import { noSuchWall, type Views, viewExists } from "./views.service.ts";

type Ranking = Pick<ShownContent, "statistics" | "descriptor" | "order">;
type ShownQueries = Pick<HistoryQueries, "historyTop" | "historyCompare">;

/** Points in time of the comparison on a wall: about one in five minutes. */
const COMPARED_POINTS = 300;

type Top = Awaited<ReturnType<ShownQueries["historyTop"]>>["value"];

/** A ranking for a wall, which everyone can read: it says until when hosts are muted, but not by whom or why. */
function withoutAuthors(top: Top): Top {
  const records = top.records.map((record) => ({
    ...record,
    muted: record.muted && { until: record.muted.until, uname: "", note: "" },
  }));
  return { ...top, records };
}

/**
 * The current content of a view, the same for every reader: hosts ranked by its metric, and the last day of the
 * compared hosts.
 */
async function shownOf(content: ShownContent, queries: ShownQueries, c: AppContext) {
  const { hostgroup, results, hosts, services } = content;
  const hostgroupid = hostgroup === null ? undefined : [hostgroup];
  const metricOf = ({ statistics, descriptor }: Ranking) => ({
    type: statistics,
    descriptor: descriptor || undefined,
  });
  const topOf = async (ranking: Ranking) => {
    const request = { ...metricOf(ranking), order: ranking.order, hostgroupid, results };
    return withoutAuthors((await queries.historyTop(turnOf(c), request, "all")).value);
  };
  const top = await topOf(content);
  const rankings: (Ranking & { top: Top })[] = [];
  for (const ranking of content.rankings) rankings.push({ ...ranking, top: await topOf(ranking) });
  if (hosts.length + services.length === 0) return { top, rankings };
  const range = { range: CUSTOM, datefrom: top.date - DAY, dateto: top.date } as const;
  const comparison = await queries.historyCompare(
    turnOf(c),
    { hostid: hosts, serviceid: services, ...metricOf(content), ...range, points: COMPARED_POINTS },
    "all",
  );
  return { top, rankings, comparison: comparison.value };
}

/** Saved views of the fleet, and walls that show one. */
export function viewOperations(views: Views, queries: ShownQueries & ViewQueries): Operation[] {
  return [
    ...resourceOperations({
      path: "/views",
      resource: view,
      collection: views,
      queries: { list: queries.viewList, get: queries.view },
      access: { read: "session", change: "admin" },
      subject: "view",
      taken: viewExists,
      summaries: {
        list: "List the saved views of the fleet, with what the caller may see of them",
        get: "A saved view of the fleet",
        create:
          "Save a view of the fleet: a metric, a group, an order, and the hosts and services to compare",
        update: "Change a saved view; walls continue to show it",
        delete: "Delete a saved view; walls that show it stop",
      },
    }),
    read("/views/tokens/list", {
      access: "admin",
      summary: "List the tokens with which walls show a view",
      response: tokenListReply,
      handle: () => views.tokens(),
    }),
    write("/views/tokens/create", {
      access: "admin",
      summary: "Create a token that shows one view and can do nothing else; only this reply contains it",
      request: tokenCreation,
      response: tokenReply,
      errors: [noSuch("view"), because(errors.badRequest, "There is the maximum number of tokens")],
      audit: {
        subject: "view",
        id: (args) => args.id,
        details: ({ name }, { id }) => ({ name, number: id }),
      },
      handle: (args) => views.createToken(args.id, args.name),
    }),
    write("/views/tokens/delete", {
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
      summary: "What a wall shows, for the cookie that wall/open set",
      response: wallReply,
      errors: [noSuchWall],
      handle: async (_args, c) => {
        const { name, content } = views.viewOf(cookieOf(c, COOKIES.wall));
        return { name, version: VERSION, ...content, ...(await shownOf(content, queries, c)) };
      },
    }),
  ];
}
