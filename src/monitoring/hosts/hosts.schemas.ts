import * as v from "valibot";
import { ACTIONS, hostInUrl } from "../../monit/agent.client.ts";
import { totalRecords } from "../../platform/http/paging.ts";
import {
  allowing,
  described,
  id,
  idOf,
  integer,
  nameText,
  oneOf,
  text,
} from "../../platform/http/validate.ts";
import { tagsOfHost, tagsReply } from "../tags/tags.schemas.ts";

export const STATUS_MEANING = "0 active, 1 inactive, 2 ignored";
export const LASTMODIFIED_MEANING =
  "when the agent's last message arrived, unix timestamp; before the first one, when the host was imported";

const hostname = described(text(1, 255), "name of the host");
const description = described(text(0, 4096), "description in the administrators' own words");
const zeroOrOne = oneOf([0, 1]);
const port = integer(1, 65_535);
const skew = described(
  integer(1, 1000),
  "number of poll cycles without a report after which the host is reported down",
);

const keepname = described(zeroOrOne, "0: the name follows what the agent reports; 1: it is kept");
/** An IP address or a host name without scheme, port and path. */
const agentHost = allowing(
  v.pipe(
    v.string(),
    v.maxLength(255),
    v.check((name) => name === "" || hostInUrl(name) !== null),
  ),
  "an IP address without a zone, a host name, or empty",
);

const ipaddrout = described(agentHost, "address at which to reach the agent; empty: the one that it reports");
const portout = described(
  integer(-1, 65_535, "-1 or a port from 1 to 65535"),
  "port at which to reach the agent; -1: the one that it reports",
);
const sslout = described(
  oneOf([-1, 0, 1]),
  "whether to reach the agent by TLS: 1 yes, 0 no, -1 as it reports",
);
const sslverify = described(zeroOrOne, "1: the agent's certificate must be valid; 0: any is accepted");
const actionqueue = described(
  zeroOrOne,
  "1: actions may wait until the agent of the host asks for them (admin/hosts/action/queue); 0: they may not; only administrators can change this",
);
const agentuser = described(text(0, 255), "user name for the agent's HTTP interface");
const agentpassword = described(text(0, 255), "password for the agent's HTTP interface");

/**
 * The settings of a host: arguments of `admin/hosts/update`, changes of a bulk edit, and an item of the export file.
 * Each is a column of the same name.
 */
export const hostSettings = {
  hostname,
  keepname,
  description,
  ipaddrout,
  portout,
  sslout,
  sslverify,
  skew,
  actionqueue,
};
const settingsSchema = v.object(hostSettings);
export type HostSettings = v.InferOutput<typeof settingsSchema>;

/** The settings that everyone sees who sees the host. Their past is recorded. */
export const shownSettings = { description };

/** The agent's credentials, set by an administrator or reported by the agent. They are exported only with secrets. */
export const agentCredentials = { agentuser, agentpassword };

export const updateArguments = v.object({
  id: idOf("host"),
  ...v.partial(settingsSchema).entries,
  hostname: described(nameText(255), "name of the host"),
  ...agentCredentials,
  status: described(v.optional(oneOf([0, 1, 2])), STATUS_MEANING),
  tag: tagsOfHost,
});
/** New settings of a host; undefined ones are kept. Each route decides whether credentials are required. */
type Update = v.InferOutput<typeof updateArguments>;
export type HostUpdate = { [K in keyof Update]?: Update[K] | undefined } & { id: number; hostname: string };

export const deleteArguments = v.object({
  id: described(v.optional(id), "id of the host, unless inactive is set"),
  inactive: described(
    v.optional(integer(0, Number.MAX_SAFE_INTEGER, "a number of seconds")),
    "every host that is Inactive and last reported at least this many seconds ago",
  ),
});

export const testArguments = v.object({
  ipaddr: described(text(1, 255), "address or name of the agent's HTTP interface"),
  port: described(port, "port of the agent's HTTP interface"),
  ssl: described(zeroOrOne, "1: with TLS; 0: without"),
  sslverify: v.optional(sslverify, 1),
  agentuser,
  agentpassword,
});
export type HostTest = v.InferOutput<typeof testArguments>;

export const actionArguments = v.object({
  id: idOf("host"),
  action: described(oneOf(ACTIONS), "what the agent is to do"),
  service: described(v.pipe(v.array(text(1, 255)), v.minLength(1)), "name of a service"),
});
export type HostAction = v.InferOutput<typeof actionArguments>;

const number = v.number();
const string = v.string();

export const hostListReply = v.object({
  totalRecords,
  records: described(
    v.array(
      v.object({
        id: described(number, "id of the host"),
        hostname: described(string, "name of the host"),
        ipaddr: described(string, "address at which the agent is reached"),
        description: described(string, "description in the administrators' own words"),
        agentversion: described(string, "version of the agent"),
        status: described(v.picklist(["Active", "Inactive", "Ignored"]), "Active, Inactive or Ignored"),
      }),
    ),
    "hosts",
  ),
});

/** In the order of the specification. */
const specified = {
  id: described(number, "id of the host"),
  hostname,
  keepname,
  ipaddrin: described(string, "address that the agent reports"),
  ipaddrout,
  portin: described(number, "port that the agent reports; -1 without HTTP interface"),
  portout,
  sslin: described(number, "whether the agent says that its HTTP interface uses TLS: 0 no, 1 yes"),
  sslout,
  agentid: described(string, "unique id of the agent"),
  agentuser,
  agentpassword: described(
    string,
    "password for the agent's HTTP interface; empty for a token that may only read",
  ),
  description,
  status: described(number, STATUS_MEANING),
  skew,
  poll: described(number, "length of the agent's poll cycle, seconds"),
  lastmodified: described(number, LASTMODIFIED_MEANING),
  sslverify,
  conflict: described(
    string,
    "why actions are disabled until admin/hosts/update confirms the host; empty if they are enabled",
  ),
  tags: tagsReply,
};
/** Fields beyond the specification come last. */
export const hostReply = v.object({ ...specified, ...hostSettings });

export const actionReply = v.object({
  service: described(v.array(string), "names of the services"),
  action: described(string, "action that was sent to the agent"),
});
export const testReply = v.object({
  status: described(v.picklist(["green", "red"]), "green: the connection works; red: it does not"),
  description: described(string, "result in words"),
});
export const deleteReply = v.object({ deleted: described(number, "number of hosts deleted") });
