import { existingUser } from "../../accounts/users/users.service.ts";
import { errors } from "../../platform/http/errors.ts";
import { rejectUnknownIds } from "../../platform/http/list-arguments.ts";
import { itemsOf } from "../../platform/http/validate.ts";
import { inNameOrder } from "../../platform/sort-key.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { PROGRAM } from "../rules/rules.repository.ts";
import { allContacts, allPeople, channelKinds, setContacts } from "./contacts.repository.ts";
import type { SetArguments } from "./contacts.schemas.ts";
import { People } from "./people.ts";

/** How users are notified who are on call, or whom rules name. */
export class Contacts {
  constructor(private readonly db: Db) {}

  /** Every user, by login name. */
  list() {
    const { db } = this;
    const people = new People(db);
    const names = new Map(channelKinds(db).map(({ id, name }) => [id, name]));
    const chosen = Map.groupBy(allContacts(db), ({ userId }) => userId);
    const records = inNameOrder(allPeople(db), (person) => person.uname).map(({ id, uname, fullname }) => ({
      ...{ uname, fullname },
      channels: (chosen.get(id) ?? []).map(({ channelId }) => channelId),
      ways: people.waysOf(id).map(({ channelId: channelid, address }) => ({
        ...{ channelid, channel: names.get(channelid) ?? "", address },
      })),
    }));
    return { totalRecords: records.length, records };
  }

  /** @throws ApiError 400 for a channel that does not exist or runs a program, 404 */
  set({ uname, channelid }: SetArguments): void {
    const { db } = this;
    transaction(db, () => {
      const user = existingUser(db, uname);
      const ids = [...new Set(itemsOf(channelid))];
      const kinds = new Map(channelKinds(db).map(({ id, kind }) => [id, kind]));
      rejectUnknownIds("channelid", "channel", ids, [], () => new Set(kinds.keys()));
      // Users whom managers name in rules must not make programs run.
      if (ids.some((id) => kinds.get(id) === PROGRAM))
        throw errors.badArgument("channelid", "the id of a channel that does not run a program");
      setContacts(db, user.id, ids);
    });
  }

  /** What the audit log says of a user's contacts. @throws ApiError 404 */
  auditState(uname: string): Record<string, string> {
    const { id } = existingUser(this.db, uname);
    const names = new Map(channelKinds(this.db).map((channel) => [channel.id, channel.name]));
    const own = allContacts(this.db).filter(({ userId }) => userId === id);
    return { channels: own.map(({ channelId }) => names.get(channelId)).join(", ") };
  }
}
