import { isIP } from "node:net";
import * as v from "valibot";
import { ACTIONS } from "../../monit/agent.client.ts";
import { totalRecords } from "../../platform/http/paging.ts";
import {
  allowing,
  described,
  describedLike,
  id,
  idOf,
  integer,
  oneOf,
  oneOfNumbers,
  text,
} from "../../platform/http/validate.ts";
import { tagsOfHost, tagsReply } from "../tags/tags.schemas.ts";

export const STATUS_MEANING = "0 active, 1 inactive, 2 ignored";

export const hostname = described(text(1, 255), "name of the host");
export const description = described(text(0, 4096), "description in the administrators' own words");
export const zeroOrOne = oneOfNumbers([0, 1]);
export const port = integer(1, 65_535);
export const skew = described(
  integer(1, 1000),
  "number of poll cycles without a report after which the host is reported down",
);

const keepname = described(zeroOrOne, "0: the name follows what the agent reports; 1: it is kept");
/** A label of a host name, of letters of any language. */
const LABEL = "[\\p{L}\\p{N}_](?:[\\p{L}\\p{N}_-]{0,61}[\\p{L}\\p{N}_])?";
const HOST_NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*\\.?$`, "u");

/** Numbers that are no IPv4 address, as in 10.0.0.256, are no host name either. */
function isHostName(name: string): boolean {
  return HOST_NAME.test(name) && URL.canParse(`http://${name}/`);
}

/** An IP address or a host name without scheme, port and path. */
export const agentHost = allowing(
  v.pipe(
    v.string(),
    v.maxLength(255),
    v.check((name) => name === "" || isIP(name) !== 0 || isHostName(name)),
  ),
  "an IP address or a host name, or empty",
);

const ipaddrout = described(agentHost, "address at which to reach the agent; empty: the one that it reports");
const portout = described(
  integer(-1, 65_535, "-1 or a port from 1 to 65535"),
  "port at which to reach the agent; -1: the one that it reports",
);
const sslout = described(
  oneOfNumbers([-1, 0, 1]),
  "whether to reach the agent by TLS: 1 yes, 0 no, -1 as it reports",
);
const sslverify = described(zeroOrOne, "1: the agent's certificate must be valid; 0: any is accepted");
const agentuser = described(text(0, 255), "user name for the agent's HTTP interface");
const agentpassword = described(text(0, 255), "password for the agent's HTTP interface");

export const updateArguments = v.object({
  id: idOf("host"),
  hostname,
  agentuser,
  agentpassword,
  keepname: v.optional(keepname),
  description: v.optional(description),
  status: described(v.optional(oneOfNumbers([0, 1, 2])), STATUS_MEANING),
  ipaddrout: v.optional(ipaddrout),
  portout: v.optional(portout),
  sslout: v.optional(sslout),
  sslverify: v.optional(sslverify),
  skew: v.optional(skew),
  tag: tagsOfHost,
});
/** New settings of a host; undefined ones are kept. Each route decides whether it needs credentials. */
export type HostUpdate = Partial<v.InferOutput<typeof updateArguments>> & { id: number; hostname: string };

export const deleteArguments = v.object({
  id: described(v.optional(id), "id of the host, unless inactive is given"),
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

export const hostReply = v.object({
  id: described(number, "id of the host"),
  hostname: described(string, "name of the host"),
  keepname: describedLike(number, keepname),
  ipaddrin: described(string, "address that the agent reports"),
  ipaddrout: describedLike(string, ipaddrout),
  portin: described(number, "port that the agent reports; -1 without HTTP interface"),
  portout: describedLike(number, portout),
  sslin: described(number, "whether the agent says that its HTTP interface uses TLS: 0 no, 1 yes"),
  sslout: describedLike(number, sslout),
  agentid: described(string, "unique id of the agent"),
  agentuser: describedLike(string, agentuser),
  agentpassword: described(
    string,
    "password for the agent's HTTP interface; empty for a token that may only read",
  ),
  description: describedLike(string, description),
  status: described(number, STATUS_MEANING),
  skew: describedLike(number, skew),
  poll: described(number, "length of the agent's poll cycle, seconds"),
  lastmodified: described(number, "when the agent's last message arrived, unix timestamp"),
  sslverify: describedLike(number, sslverify),
  conflict: described(
    string,
    "why actions are held back until admin/hosts/update confirms the host; empty if they are not",
  ),
  tags: tagsReply,
});

export const actionReply = v.object({
  service: described(v.array(string), "names of the services"),
  action: described(string, "action that was sent to the agent"),
});
export const testReply = v.object({
  status: described(v.picklist(["green", "red"]), "green: the connection works; red: it does not"),
  description: described(string, "result in words"),
});
export const deleteReply = v.object({ deleted: described(number, "number of hosts deleted") });
