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
  /** The user's mail address; "" if the whole channel is the user's. */
  address: string;
}

function isMail({ kind }: ChannelOfPerson): boolean {
  return kindNamed(kind)?.recipients !== undefined;
}

/**
 * How users are notified: through the channels chosen for them or, without any, by mail to their address through the
 * oldest mail channel. Everything is read once, when it is first needed.
 */
export class People {
  #read: {
    people: Map<number, PersonToNotify>;
    ids: Map<string, number>;
    channels: Map<number, ChannelOfPerson>;
    channelIds: Map<number, number[]>;
  } | null = null;

  constructor(private readonly db: Db) {}

  get(userId: number): PersonToNotify | undefined {
    return this.#all().people.get(userId);
  }

  /** The id of a user by their login name. */
  idOf(uname: string): number | undefined {
    return this.#all().ids.get(uname);
  }

  /** Empty if the user cannot be reached. */
  waysOf(userId: number): Way[] {
    const { people, channels, channelIds } = this.#all();
    const { email = "" } = people.get(userId) ?? {};
    const oldest = [...channels.values()].find((channel) => channel.enabled && isMail(channel));
    const ids = channelIds.get(userId) ?? (oldest ? [oldest.id] : []);
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
    const people = allPeople(this.db);
    this.#read = {
      people: new Map(people.map((person) => [person.id, person])),
      ids: new Map(people.map(({ uname, id }) => [uname, id])),
      channels: new Map(channelKinds(this.db).map((channel) => [channel.id, channel])),
      channelIds: new Map([...byUser].map(([id, rows]) => [id, rows.map(({ channelId }) => channelId)])),
    };
    return this.#read;
  }
}
