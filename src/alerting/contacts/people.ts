import type { Db } from "../../platform/storage/open.ts";
import { isMailAddress } from "../channels/kinds/email.ts";
import { kindNamed } from "../channels/kinds/kinds.ts";
import {
  allContacts,
  allPeople,
  type ChannelOfPerson,
  channelKinds,
  type PersonToNotify,
} from "./contacts.repository.ts";

/** A way to notify a user. */
export interface Way {
  channelId: number;
  /** The user's own mail address; "" if the whole channel is theirs. */
  address: string;
}

function isMail({ kind }: ChannelOfPerson): boolean {
  return kindNamed(kind)?.recipients !== undefined;
}

/**
 * How users are notified: through the channels that were chosen for them or, without any, by mail to their own address
 * through the oldest mail channel. Everything is read once, when it is first needed.
 */
export class People {
  #read: {
    people: Map<number, PersonToNotify>;
    channels: Map<number, ChannelOfPerson>;
    chosen: Map<number, number[]>;
  } | null = null;

  constructor(private readonly db: Db) {}

  get(userId: number): PersonToNotify | undefined {
    return this.#all().people.get(userId);
  }

  /** Empty if the user cannot be reached. */
  waysOf(userId: number): Way[] {
    const { people, channels, chosen } = this.#all();
    const { email = "" } = people.get(userId) ?? {};
    const oldest = [...channels.values()].find((channel) => channel.enabled && isMail(channel));
    const ids = chosen.get(userId) ?? (oldest ? [oldest.id] : []);
    return ids.flatMap((channelId): Way[] => {
      const channel = channels.get(channelId);
      if (!channel) return [];
      if (!isMail(channel)) return [{ channelId, address: "" }];
      return isMailAddress(email) ? [{ channelId, address: email }] : [];
    });
  }

  #all() {
    if (this.#read) return this.#read;
    const byUser = Map.groupBy(allContacts(this.db), ({ userId }) => userId);
    this.#read = {
      people: new Map(allPeople(this.db).map((person) => [person.id, person])),
      channels: new Map(channelKinds(this.db).map((channel) => [channel.id, channel])),
      chosen: new Map([...byUser].map(([id, rows]) => [id, rows.map(({ channelId }) => channelId)])),
    };
    return this.#read;
  }
}
