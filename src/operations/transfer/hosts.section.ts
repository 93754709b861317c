import * as v from "valibot";
import { HOST_STATUS, LED } from "../../monitoring/health/health.ts";
import { findHostOfAgent, insertHost } from "../../monitoring/hosts/hosts.repository.ts";
import { agentHost, description, hostname, skew } from "../../monitoring/hosts/hosts.schemas.ts";
import { MAX_TAGS } from "../../monitoring/tags/tag.ts";
import { tagsOf } from "../../monitoring/tags/tags.repository.ts";
import { tag } from "../../monitoring/tags/tags.schemas.ts";
import { text } from "../../platform/http/validate.ts";
import { idOfGroup } from "./references.ts";
import type { Section, TransferDependencies } from "./section.ts";
import { groupsByHand, hostsToExport } from "./transfer.repository.ts";

const hostSchema = v.strictObject({
  agentid: text(1, 255),
  hostname,
  keepname: v.boolean(),
  description,
  ipaddrout: agentHost,
  portout: v.pipe(v.number(), v.integer(), v.minValue(-1), v.maxValue(65_535)),
  sslout: v.picklist([-1, 0, 1]),
  sslverify: v.boolean(),
  skew,
  ignored: v.boolean(),
  /** Groups that the host was added to by hand. */
  groups: v.array(v.string()),
  /** Absent in files of builds without tags; the host then keeps its own. */
  tags: v.optional(v.pipe(v.array(tag), v.maxLength(MAX_TAGS))),
  /** Present only if an administrator set them and the file includes secrets. */
  agentuser: v.optional(text(0, 255)),
  agentpassword: v.optional(text(0, 255)),
});
type HostItem = v.InferOutput<typeof hostSchema>;

type Known = NonNullable<ReturnType<typeof findHostOfAgent>>;

/** The new status of a host; undefined if it stays as it is. */
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
    tags,
    agentuser,
    agentpassword,
    ...same
  } = host;
  return {
    ...same,
    keepname: keepname ? (1 as const) : (0 as const),
    sslverify: sslverify ? (1 as const) : (0 as const),
    status: statusOf(host, known),
    ...(tags && { tag: tags }),
    ...(agentuser !== undefined && { agentuser }),
    ...(agentpassword !== undefined && { agentpassword }),
  };
}

/** A placeholder for a host that has not reported here yet: grey, and never reported as down. */
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

/** Settings of hosts. A host not known yet gets a placeholder, until its agent's first message. */
export const hostsSection: Section<HostItem> = {
  name: "hosts",
  schema: hostSchema,
  nameOf: (host) => host.hostname,
  keyOf: (host) => host.agentid,
  exportItems: ({ db, box }, withSecrets) => {
    const groups = groupsByHand(db);
    return hostsToExport(db).map(
      ({ id, agentId, agentuser, agentpassword, credentialsSetByAdmin, status, sslout, ...same }) => ({
        agentid: agentId,
        ...same,
        sslout: sslout as HostItem["sslout"],
        ignored: status === HOST_STATUS.ignored,
        groups: groups(id),
        tags: tagsOf(db, id),
        ...(withSecrets && credentialsSetByAdmin && { agentuser, agentpassword: box.open(agentpassword) }),
      }),
    );
  },
  importItem: (dependencies, host) => {
    const { db, clock, hosts } = dependencies;
    const known = findHostOfAgent(db, host.agentid);
    const id = known?.id ?? insertHost(db, waitingHost(host, clock.now())).id;
    hosts.take({ id, ...settingsOf(host, known) });
    join(dependencies, id, host.groups);
    return known ? "updated" : "created";
  },
};
