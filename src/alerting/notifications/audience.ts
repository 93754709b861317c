/** Whom a message goes to: channels, and people by name or because they are on call. */
import type { Db } from "../../platform/storage/open.ts";
import type { ChannelSender } from "../channels/channels.service.ts";
import { People } from "../contacts/people.ts";
import { OnDuty } from "../on-call/on-duty.ts";
import type { RuleStep } from "../rules/rules.schemas.ts";

/** One destination of a message. */
export interface Target {
  channelId: number;
  /** Login name of the user; "" for a channel. */
  person: string;
  /** The person's own address; "" for all recipients of the channel. */
  address: string;
}

/** A channel or person to whom an earlier message went. A deleted channel is null. */
interface NotifiedTarget {
  channelId: number | null;
  person: string;
}

/** A recipient whom a message cannot reach. */
export interface Unreached {
  /** Name of the schedule or user. */
  name: string;
  /** Login name of the user; "" for a schedule. */
  person: string;
  reason: string;
}

/** Whom a message goes to, and whom it cannot reach. */
export interface Recipients {
  targets: Target[];
  unreached: Unreached[];
}

const NOBODY_ON_CALL = "nobody is on call";
export const NO_CONTACT =
  "no way to reach this user: no channel was chosen, and there is no e-mail address or no e-mail channel";

/** Resolves the steps of rules: for the dispatcher at the present time, for the preview at any time. */
export class Audience {
  readonly #onDuty: OnDuty;
  readonly #people: People;

  /** @param since the earliest time that is asked about, unix seconds */
  constructor(db: Db, since: number) {
    this.#onDuty = new OnDuty(db, since);
    this.#people = new People(db);
  }

  /** The ids of the users that steps reach at a time, and the names of schedules that have nobody on call then. */
  #usersOf(steps: readonly RuleStep[], at: number): { userIds: Set<number>; gaps: string[] } {
    const scheduleIds = [...new Set(steps.flatMap(({ schedules }) => schedules))];
    const onCall = scheduleIds.map((id) => ({ id, userId: this.#onDuty.at(id, at) }));
    return {
      userIds: new Set([
        ...steps.flatMap(({ users }) => users.flatMap((uname) => this.#people.idOf(uname) ?? [])),
        ...onCall.flatMap(({ userId }) => userId ?? []),
      ]),
      gaps: onCall.filter(({ userId }) => userId === null).map(({ id }) => this.#onDuty.nameOf(id)),
    };
  }

  /** The login names of the users that steps reach at a time. */
  unamesOf(steps: readonly RuleStep[], at: number): string[] {
    const { userIds } = this.#usersOf(steps, at);
    return [...userIds].flatMap((id) => this.#people.get(id)?.uname ?? []);
  }

  /** Where a message of some steps goes at a time. */
  of(steps: readonly RuleStep[], at: number): Recipients {
    const channels = new Set(steps.flatMap((step) => step.channels));
    const { userIds, gaps } = this.#usersOf(steps, at);
    const { targets, unreached } = this.#reach(channels, userIds);
    return {
      targets,
      unreached: [...gaps.map((name) => ({ name, person: "", reason: NOBODY_ON_CALL })), ...unreached],
    };
  }

  /**
   * Where a message goes that follows an earlier one. People are reached as they would be now; users who have been
   * deleted are left out.
   * @param notified where the earlier one went
   */
  following(notified: readonly NotifiedTarget[]): Recipients {
    const channels = notified.flatMap(({ channelId, person }) => (person === "" ? (channelId ?? []) : []));
    const userIds = notified.flatMap(({ person }) => this.#people.idOf(person) ?? []);
    return this.#reach(new Set(channels), new Set(userIds));
  }

  /** A person's addresses are left out if the channels already cover them. */
  #reach(channels: ReadonlySet<number>, userIds: ReadonlySet<number>): Recipients {
    const targets: Target[] = [...channels].map((channelId) => ({ channelId, person: "", address: "" }));
    const unreached: Unreached[] = [];
    for (const id of userIds) {
      const { uname: person = "" } = this.#people.get(id) ?? {};
      const ways = this.#people.waysOf(id);
      if (ways.length === 0) unreached.push({ name: person, person, reason: NO_CONTACT });
      for (const { channelId, address } of ways)
        if (address !== "" || !channels.has(channelId)) targets.push({ channelId, person, address });
    }
    return { targets, unreached };
  }
}

/**
 * The messages to a target, as the outbox addresses them. Each recipient of a mail channel gets a message of their own:
 * if a server refuses one recipient for now, only that message is tried again. Recipient "" stands for a channel
 * without recipients.
 */
export function addressed(
  { name: channelName, recipients }: Pick<ChannelSender, "name" | "recipients">,
  { channelId, person, address }: Target,
) {
  const ofChannel = recipients.length > 0 ? recipients : [""];
  return (person === "" ? ofChannel : [address]).map((recipient) => ({
    channelId,
    channelName,
    person,
    recipient,
  }));
}
