/**
 * A server that answers as the specification says and no better: older names of fields, numbers as text, only the event
 * types of the specification, a page instead of JSON when the session has ended.
 */

const LATEST_TYPE = 4_194_304;

export interface SpecifiedEvent {
  id: number;
  hostid: number;
  date: number;
  service: string;
  type: number;
  state: number;
  detail: Record<string, unknown>;
}

export interface SpecifiedServer {
  hosts: Record<string, unknown>[];
  groups: { id: number; name: string; hosts: number[] }[];
  users: Record<string, unknown>[];
  events: SpecifiedEvent[];
  /** Whether lists of events ignore the filter by type. */
  ignoresTypes?: boolean;
  /** Called when a type is asked for that is later than the specification. */
  onLaterType?: () => void;
  /** Requests after which a session ends. */
  sessionRequests?: number;
}

const LOGIN_PAGE = "<html><form action='z_security_check'></form></html>";
const page = (status = 200, headers = {}) =>
  new Response(LOGIN_PAGE, { status, headers: { "Content-Type": "text/html", ...headers } });

/** Serves it below /api/2, for the user admin with the password "secret". */
export function serveSpecified(content: SpecifiedServer): Bun.Server<unknown> {
  let left = 0;
  const list = (query: URLSearchParams) => {
    const number = (name: string) => Number(query.get(name));
    if (number("eventtype") > LATEST_TYPE) {
      content.onLaterType?.();
      return new Response("bad eventtype", { status: 400 });
    }
    const isMatch = ({ hostid, type, date }: SpecifiedEvent) =>
      (!query.has("hostid") || hostid === number("hostid")) &&
      (!query.has("eventtype") || content.ignoresTypes || type === number("eventtype")) &&
      date <= number("dateto");
    const matches = content.events.filter(isMatch).sort((a, b) => a.date - b.date);
    const records = matches.slice(number("startindex"), number("startindex") + number("results"));
    return Response.json({
      totalRecords: matches.length,
      records: records.map(({ id, date, service, state }) => ({
        ...{ id: String(id), date, servicename: service, eventtype: state },
      })),
    });
  };
  const answers: Record<string, (query: URLSearchParams) => unknown> = {
    "admin/hosts/list": () => ({ records: content.hosts.map(({ id }) => ({ id })) }),
    "admin/hosts/get": (query) => content.hosts.find(({ id }) => id === query.get("id")),
    "admin/groups/list": () => ({ hosts: [], groups: content.groups }),
    "admin/users/list": () => content.users.map(({ uname }) => ({ uname })),
    "admin/users/get": (query) => content.users.find(({ uname }) => uname === query.get("uname")),
    "reports/events/list": list,
    "reports/events/get": (query) => content.events.find(({ id }) => id === Number(query.get("id")))?.detail,
  };
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === "/index.csp") return page(200, { "Set-Cookie": "zsessionid=one; Path=/; HttpOnly" });
      if (pathname === "/z_security_check") {
        const form = new URLSearchParams(await request.text());
        if (request.headers.get("Cookie") !== "zsessionid=one" || form.get("z_password") !== "secret")
          return page(401);
        left = content.sessionRequests ?? Number.POSITIVE_INFINITY;
        return page(302, { Location: "/index.csp" });
      }
      const answer = pathname.startsWith("/api/2/") ? answers[pathname.slice("/api/2/".length)] : undefined;
      if (!answer || left-- <= 0) return page();
      const reply = answer(searchParams);
      return reply instanceof Response ? reply : Response.json(reply);
    },
  });
}
