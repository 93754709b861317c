import * as v from "valibot";
import { HOST_STATUS, LED } from "../../monitoring/health/health.ts";
import { settingsOf } from "../../monitoring/hosts/host-settings.ts";
import { findHostOfAgent, insertHost } from "../../monitoring/hosts/hosts.repository.ts";
import { agentCredentials, hostSettings } from "../../monitoring/hosts/hosts.schemas.ts";
import { MAX_TAGS } from "../../monitoring/tags/tag.ts";
import { tagsOf } from "../../monitoring/tags/tags.repository.ts";
import { tag } from "../../monitoring/tags/tags.schemas.ts";
import { text } from "../../platform/http/validate.ts";
import { idOfGroup } from "./groups.section.ts";
import type { Section, TransferDependencies } from "./section.ts";
import { groupsByHand, hostsToExport } from "./transfer.repository.ts";

const hostSchema = v.strictObject({
  agentid: text(1, 255),
  ...hostSettings,
  ignored: v.boolean(),
  /** Groups that the host was added to by hand. */
  groups: v.array(v.string()),
  tags: v.pipe(v.array(tag), v.maxLength(MAX_TAGS)),
  /** Present only if an administrator set them and the file includes secrets. */
  ...v.partial(v.object(agentCredentials)).entries,
});
type HostItem = v.InferOutput<typeof hostSchema>;

type StoredHost = NonNullable<ReturnType<typeof findHostOfAgent>>;

/** The new status of a host; undefined if it stays as it is. */
function statusOf({ ignored }: HostItem, stored: StoredHost | undefined) {
  if (ignored) return HOST_STATUS.ignored;
  if (stored?.status !== HOST_STATUS.ignored) return undefined;
  return stored.incarnation === 0 ? HOST_STATUS.inactive : HOST_STATUS.active;
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

/** Settings of hosts. A new host gets a placeholder, until its agent's first message. */
export const hostsSection: Section<HostItem> = {
  name: "hosts",
  schema: hostSchema,
  nameOf: (host) => host.hostname,
  keyOf: (host) => host.agentid,
  exportItems: ({ db, box }, withSecrets) => {
    const groups = groupsByHand(db);
    return hostsToExport(db).map((host) => ({
      agentid: host.agentId,
      ...settingsOf(host),
      ignored: host.status === HOST_STATUS.ignored,
      groups: groups(host.id),
      tags: tagsOf(db, host.id),
      ...(withSecrets &&
        host.credentialsSetByAdmin && {
          agentuser: host.agentuser,
          agentpassword: box.open(host.agentpassword),
        }),
    }));
  },
  importItem: (dependencies, host) => {
    const { db, clock, hosts } = dependencies;
    const stored = findHostOfAgent(db, host.agentid);
    const id = stored?.id ?? insertHost(db, waitingHost(host, clock.now())).id;
    const { agentid: _, groups, ignored: _ignored, tags, ...settings } = host;
    hosts.updateUnreviewed({ id, ...settings, tag: tags, status: statusOf(host, stored) });
    join(dependencies, id, groups);
    return stored ? "updated" : "created";
  },
};
