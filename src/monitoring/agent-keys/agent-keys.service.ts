import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../platform/clock.ts";
import { declareTaken, errors, found } from "../../platform/http/errors.ts";
import type { Reach, Scope } from "../../platform/http/scope.ts";
import { Collection, type PutOutcome } from "../../platform/resources/collection.ts";
import type { References } from "../../platform/resources/references.ts";
import type { ContentOf } from "../../platform/resources/resource.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { type Db, onRollback } from "../../platform/storage/open.ts";
import type { KnownHosts } from "../hosts/known-hosts.ts";
import { isJoinManaged } from "../scope/filter-scope.ts";
import { KeyReads } from "./agent-keys.queries.ts";
import { type KeyRow, keyRows, keysOfHosts, letTakeOver } from "./agent-keys.repository.ts";
import { type agentKey, moveArguments } from "./agent-keys.schemas.ts";
import type { KeyRing } from "./key-ring.ts";

export const keyExists = declareTaken("key.exists", "key");

/** All keys are kept in memory. */
const MAX_KEYS = 1000;

/** A secret of 32 random characters. */
const newSecret = () => randomBytes(24).toString("base64url");

type KeyContent = ContentOf<typeof agentKey>;

interface KeyParts {
  db: Db;
  box: SecretBox;
  references: References;
  clock: Clock;
  ring: KeyRing;
  hostCache: KnownHosts;
}

/**
 * The keys of agents. Administrators manage all of them. A manager of host groups manages the keys whose groups are all
 * among theirs, and does not see the others.
 */
export class AgentKeys extends Collection<typeof agentKey, KeyRow> {
  readonly #parts: KeyParts;

  constructor(parts: KeyParts) {
    const { db, references, clock } = parts;
    super({ reads: new KeyReads(db, clock), references, taken: keyExists, maxObjects: MAX_KEYS });
    this.#parts = parts;
  }

  protected columnsOf(content: KeyContent, before: KeyRow | null): Omit<KeyRow, "id"> {
    const { secret, ...settings } = content;
    if (before && secret !== "")
      throw errors.badArgument("secret", "left out or empty: admin/keys/replace replaces it");
    const { id: _, ...kept } = before ?? {
      id: 0,
      secret: this.#parts.box.seal(secret || newSecret()),
      secretNumber: 1,
      previous: "",
      previousuntil: 0,
      created: this.#parts.clock.now(),
      lastused: null,
    };
    return { ...kept, ...settings };
  }

  protected override mayChange({ hostgroups }: KeyContent, scope: Scope): boolean {
    return isJoinManaged({ hostgroups }, scope);
  }

  protected override isKnown({ hostgroups }: KeyContent, view: Scope): boolean {
    return isJoinManaged({ hostgroups }, view);
  }

  /** Makes the next message load the keys again, after the change as well as after its rollback. */
  protected override changing<T>(change: () => T): T {
    const { db, ring } = this.#parts;
    return super.changing(() => {
      onRollback(db, () => ring.forget());
      const result = change();
      ring.forget();
      return result;
    });
  }

  protected override updated(row: KeyRow, columns: Omit<KeyRow, "id">, content: KeyContent): void {
    super.updated(row, columns, content);
    const rulesOf = ({ hostgroups, hostpattern }: Omit<KeyRow, "id">) => ({ hostgroups, hostpattern });
    // The rules of a key are applied only to messages that differ from what is cached.
    if (!isDeepStrictEqual(rulesOf(row), rulesOf(columns))) this.#parts.hostCache.forgetAll();
  }

  /**
   * Ends a key.
   * @param overlap seconds for which its messages are still accepted
   * @returns when it ends, unix seconds
   * @throws ApiError 404
   */
  end(id: number, overlap: number, reach: Reach): number {
    return this.changing(() => {
      const ends = this.#parts.clock.now() + overlap;
      keyRows.update(this.#parts.db, this.manageable(id, reach).id, { ends });
      return ends;
    });
  }

  /**
   * Gives a key a new secret.
   * @param overlap seconds for which the present one is accepted too
   * @throws ApiError 404
   */
  replace(id: number, overlap: number, reach: Reach): void {
    this.changing(() => this.#setSecret(this.manageable(id, reach), newSecret(), overlap));
  }

  /** The name and secret of a key, with which its agents post. @throws ApiError 404 */
  login(id: number, reach: Reach): { user: string; password: string } {
    const { name, secret } = this.manageable(id, reach);
    return { user: name, password: this.#parts.box.open(secret) };
  }

  /**
   * Lets a key take over hosts. Each keeps its present credential until its first message with the key.
   * @param id 0: the collector's first credential
   * @returns how many did not use it before
   * @throws ApiError 400 for an unknown host, 403 if the caller does not manage a host or the key that it uses, 404
   */
  move(id: number, hosts: readonly number[], reach: Reach): number {
    const { db, hostCache } = this.#parts;
    return this.changing(() => {
      if (id !== 0) this.manageable(id, reach);
      else if (reach.act !== "all") throw errors.notGranted();
      this.references.refuseUnknown(moveArguments, { hosts }, null, reach.act);
      if (!keysOfHosts(db, hosts).every((key) => isJoinManaged(key, reach.act))) throw errors.notGranted();
      const moved = letTakeOver(db, id, hosts);
      for (const hostId of hosts) hostCache.forget(hostId);
      return moved.length;
    });
  }

  override contents(withSecrets: boolean): KeyContent[] {
    const { box } = this.#parts;
    return this.reads.all().map((row) => ({
      ...this.reads.contentOf(row),
      ...(withSecrets && { secret: box.open(row.secret) }),
    }));
  }

  /** A new key that comes without its secret is created with a fresh one, which no agent has yet. */
  override put(content: KeyContent, place: number): PutOutcome {
    const row = keyRows.findByKey(this.#parts.db, content.name);
    if (!row) {
      super.put(content, place);
      return content.secret === "" ? "incomplete" : "created";
    }
    super.put({ ...content, secret: "" }, place);
    if (content.secret !== "" && content.secret !== this.#parts.box.open(row.secret))
      this.changing(() => this.#setSecret(row, content.secret, 0));
    return "updated";
  }

  #setSecret(row: KeyRow, secret: string, overlap: number): void {
    const { db, box, clock } = this.#parts;
    keyRows.update(db, row.id, {
      secret: box.seal(secret),
      secretNumber: row.secretNumber + 1,
      previous: row.secret,
      previousuntil: clock.now() + overlap,
    });
  }

  /** The key, if the caller manages it. @throws ApiError 404 */
  manageable(id: number, { act }: Reach): KeyRow {
    const row = keyRows.find(this.#parts.db, id);
    return found(row && isJoinManaged(row, act) ? row : undefined, "key", id);
  }
}
