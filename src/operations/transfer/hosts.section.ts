import * as v from "valibot";
import { HOST_STATUS, LED } from "../../monitoring/health/health.ts";
import { insertHost } from "../../monitoring/hosts/hosts.repository.ts";
import { description, hostname, skew } from "../../monitoring/hosts/hosts.schemas.ts";
import { text } from "../../platform/http/validate.ts";
import { idOfGroup } from "./references.ts";
import type { Section, TransferDependencies } from "./section.ts";
import { findHostOfAgent, groupsByHand, hostsToGive } from "./transfer.repository.ts";

const hostSchema = v.strictObject({
  agentid: text(1, 255),
  hostname,
  keepname: v.boolean(),
  description,
  ipaddrout: text(0, 255),
  portout: v.pipe(v.number(), v.integer(), v.minValue(-1), v.maxValue(65_535)),
  sslout: v.picklist([-1, 0, 1]),
  sslverify: v.boolean(),
  skew,
  ignored: v.boolean(),
  /** Those it was put into by hand. */
  groups: v.array(v.string()),
  /** Only where an administrator set them, and the file has secrets. */
  agentuser: v.optional(text(0, 255)),
  agentpassword: v.optional(text(0, 255)),
});
type HostItem = v.InferOutput<typeof hostSchema>;

type Known = NonNullable<ReturnType<typeof findHostOfAgent>>;

/** The status that a host is to have; undefined where it stays. */
function statusOf({ ignored }: HostItem, known: Known | undefined) {
  if (ignored) return HOST_STATUS.ignored;
  if (known?.status !== HOST_STATUS.ignored) return undefined;
  return known.incarnation === 0 ? HOST_STATUS.inactive : HOST_STATUS.active;
}

function settingsOf(host: HostItem, known: Known | undefined) {
  const {
    keepname,
    sslverify,
    ignored: _i,
    agentid: _a,
    groups: _g,
    agentuser,
    agentpassword,
    ...same
  } = host;
  return {
    ...same,
    keepname: keepname ? (1 as const) : (0 as const),
    sslverify: sslverify ? (1 as const) : (0 as const),
    status: statusOf(host, known),
    ...(agentuser !== undefined && { agentuser }),
    ...(agentpassword !== undefined && { agentpassword }),
  };
}

/** What stands in for an agent that has not reported here yet: grey, and silent for as long as it likes. */
function waitingHost({ agentid, hostname, agentuser }: HostItem, now: number) {
  return {
    agentId: agentid,
    hostname,
    createdAt: now,
    poll: 1,
    incarnation: 0,
    credentialsSetByAdmin: agentuser !== undefined,
    status: HOST_STATUS.inactive,
    stopped: true,
    stopToldAt: 0, // any message shows that its agent runs
    deadline: now,
    lastmodified: now,
    led: LED.gray,
    statusText: "Stopped",
  };
}

function join({ db, groups }: TransferDependencies, hostId: number, names: readonly string[]): void {
  for (const name of names) groups.add({ id: idOfGroup(db, name), hostid: [hostId] });
}

/** What administrators set about hosts. One that has not reported yet is kept ready for its agent's first message. */
export const hostsSection: Section<HostItem> = {
  name: "hosts",
  schema: hostSchema,
  nameOf: (host) => host.hostname,
  keyOf: (host) => host.agentid,
  give: ({ db, box }, withSecrets) => {
    const groups = groupsByHand(db);
    return hostsToGive(db).map(
      ({ id, agentId, agentuser, agentpassword, credentialsSetByAdmin, status, sslout, ...same }) => ({
        agentid: agentId,
        ...same,
        sslout: sslout as HostItem["sslout"],
        ignored: status === HOST_STATUS.ignored,
        groups: groups(id),
        ...(withSecrets && credentialsSetByAdmin && { agentuser, agentpassword: box.open(agentpassword) }),
      }),
    );
  },
  take: (parts, host) => {
    const { db, clock, hosts } = parts;
    const known = findHostOfAgent(db, host.agentid);
    const id = known?.id ?? insertHost(db, waitingHost(host, clock.now())).id;
    hosts.take({ id, ...settingsOf(host, known) });
    join(parts, id, host.groups);
    return known ? "updated" : "created";
  },
};
