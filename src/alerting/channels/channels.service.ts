import type { Clock } from "../../platform/clock.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { declareError, declareTaken, errors } from "../../platform/http/errors.ts";
import type { Log } from "../../platform/log.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { clean, cut } from "../../platform/text.ts";
import { PROGRAM } from "../rules/rules.repository.ts";
import { changedSettings, checkedSettings, openSettings } from "./channel-settings.ts";
import {
  allChannels,
  type ChannelRow,
  deleteChannel,
  findChannel,
  findChannelByName,
  insertChannel,
  reportsOfChannel,
  rulesOfChannels,
  updateChannel,
  usersOfChannel,
} from "./channels.repository.ts";
import { SETTING_PREFIX } from "./channels.schemas.ts";
import type { AlertMessage, Answer, ChannelKind, ChannelSettings } from "./kinds/channel-kind.ts";
import { addressedTo, faultOf, recipientsOf, secretNames, secretsOf } from "./kinds/fields.ts";
import { KINDS, kindNamed } from "./kinds/kinds.ts";
import { mask } from "./masking.ts";
import { testMessage } from "./test-message.ts";

export const channelExists = declareTaken("channel.exists", "channel");
export const channelUsed = declareError(
  409,
  "channel.used",
  "Rules or reports use the channel, or users are notified through it",
  (name: string, uses: readonly string[]) => `"${name}" is used by ${uses.join(", ")}`,
);

export const MAX_CHANNELS = 1000;
/** Longest remote answer that is shown and stored, characters. */
const MAX_DETAIL = 4096;
export const NO_RECIPIENT = "the channel no longer has this recipient";

/** A channel as the sender sees it. */
export interface ChannelSender {
  id: number;
  name: string;
  enabled: boolean;
  /** Whether one message may report several events. */
  grouped: boolean;
  /** Those who can get a message of their own each; empty where the channel has one recipient only. */
  recipients: readonly string[];
  /**
   * Makes one attempt within a bounded time. The answer contains no secret. Never rejects.
   * @param recipient one of `recipients`, or of a report, or a person's own address; "" for all of `recipients`
   * @param isPersonal whether it is a person's own address
   */
  send(message: AlertMessage, recipient?: string, isPersonal?: boolean): Promise<Answer>;
}

export interface ChannelDependencies {
  db: Db;
  box: SecretBox;
  egress: Egress;
  clock: Clock;
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonic: () => number;
  log: Log;
  /** Public origin of Muster; null if not configured. */
  baseUrl: () => URL | null;
}

export interface ChannelChange {
  id: number;
  name?: string | undefined;
  kind?: string | undefined;
  enabled?: boolean | undefined;
  /** Keyed by field name; a secret that is "" keeps its value. */
  settings: ChannelSettings;
  /** Names of secrets to remove. */
  forget?: readonly string[] | undefined;
}

/** Notification channels: administrators manage them, the sender sends through them. */
export class Channels {
  constructor(private readonly dependencies: ChannelDependencies) {}

  /** The kinds of channels, with the settings of each. */
  kinds() {
    return {
      records: KINDS.map((kind) => ({
        kind: kind.kind,
        label: kind.label,
        grouped: kind.grouped,
        available: this.#isAvailable(kind),
        fields: kind.fields.map(({ initial = "", choices = [], ...field }) => ({
          ...field,
          initial,
          choices: [...choices],
        })),
      })),
    };
  }

  /** All channels, without secrets. */
  /** Channels that a manager of host groups may use in rules: how they are set up is for administrators only. */
  listToUse() {
    const records = this.list().records.filter(({ kind }) => kind !== PROGRAM);
    const hidden = { settings: {}, secrets: [], rules: [], failures: 0, lastat: null, lastoutcome: null };
    return {
      totalRecords: records.length,
      records: records.map((channel) => ({ ...channel, ...hidden, lastanswer: "" })),
    };
  }

  list() {
    const { db } = this.dependencies;
    const using = Map.groupBy(rulesOfChannels(db), ({ channelId }) => channelId);
    const records = allChannels(db).map((row) =>
      this.#shown(
        row,
        (using.get(row.id) ?? []).map(({ ruleId }) => ruleId),
      ),
    );
    return { totalRecords: records.length, records };
  }

  /** One channel, without secrets. @throws ApiError 404 */
  get(id: number) {
    return this.#shown(
      this.#find(id),
      this.#rulesOf(id).map(({ ruleId }) => ruleId),
    );
  }

  /** @returns the id @throws ApiError 400, 409 if the name is taken */
  create(given: {
    name: string;
    kind: string;
    enabled?: boolean | undefined;
    settings: ChannelSettings;
  }): number {
    const { db, box, clock } = this.dependencies;
    const kind = this.#usableKind(given.kind);
    const settings = checkedSettings(kind, given.settings);
    return transaction(db, () => {
      this.#refuseTaken(given.name);
      if (allChannels(db).length >= MAX_CHANNELS)
        throw errors.badRequest(`There are at most ${MAX_CHANNELS} channels; delete one first`);
      return insertChannel(db, {
        name: given.name,
        kind: kind.kind,
        enabled: given.enabled ?? true,
        settings: box.seal(JSON.stringify(settings)),
        createdAt: clock.now(),
      });
    });
  }

  /**
   * Changes the given properties and keeps the others.
   * @throws ApiError 400, 404, 409 if the name is taken
   */
  update(change: ChannelChange): void {
    const { db, box } = this.dependencies;
    transaction(db, () => {
      const row = this.#find(change.id);
      if (change.kind !== undefined && change.kind !== row.kind)
        throw errors.badArgument("kind", `${row.kind}, as before; make another channel instead`);
      const settings = this.#changed(row, change);
      const { name = row.name, enabled = row.enabled } = change;
      if (name !== row.name) this.#refuseTaken(name);
      // Failures with the old settings say nothing about the new ones.
      const fresh = { failures: 0, heldUntil: null };
      updateChannel(db, row.id, { name, enabled, settings: box.seal(JSON.stringify(settings)), ...fresh });
    });
  }

  /** @throws ApiError 404, 409 if rules or reports use the channel */
  delete(id: number): void {
    const { db } = this.dependencies;
    transaction(db, () => {
      const row = this.#find(id);
      const rules = this.#rulesOf(id).map(({ name }) => `the rule "${name}"`);
      const reports = reportsOfChannel(db, id).map((name) => `the report "${name}"`);
      const users = usersOfChannel(db, id).map((uname) => `the contacts of ${uname}`);
      const using = [...rules, ...reports, ...users];
      if (using.length > 0) throw channelUsed(row.name, using);
      deleteChannel(db, id);
    });
  }

  /**
   * Sends a test message through a stored channel, a stored channel with changes, or a channel that is not
   * stored yet.
   * @returns the remote's answer, and the duration in milliseconds
   * @throws ApiError 400, 404
   */
  async test({
    id,
    kind,
    settings,
  }: {
    id?: number | undefined;
    kind?: string | undefined;
    settings: ChannelSettings;
  }) {
    const { clock, monotonic, baseUrl } = this.dependencies;
    const [tested, values] = id === undefined ? this.#draft(kind, settings) : this.#draftOf(id, settings);
    const start = monotonic();
    const { outcome, detail } = await this.#send(tested, values, testMessage(clock.now(), baseUrl()));
    return { outcome, detail, duration: Math.round(monotonic() - start) };
  }

  /** The channel to send through; null if it does not exist. */
  sendable(id: number): ChannelSender | null {
    const row = findChannel(this.dependencies.db, id);
    if (!row) return null;
    const kind = kindNamed(row.kind);
    return {
      id,
      name: row.name,
      enabled: row.enabled,
      grouped: kind?.grouped ?? true,
      recipients: kind ? recipientsOf(kind, this.#settingsOf(row)) : [],
      send: async (message, recipient = "", isPersonal = false) => {
        if (!kind)
          return { outcome: "refused", detail: `This version knows no channels of kind ${row.kind}` };
        const settings = this.#settingsOf(row);
        // Happens after secret.key was lost: all encrypted settings are then empty.
        const fault = faultOf(kind, settings);
        if (fault)
          return {
            outcome: "refused",
            detail: `The channel's ${fault.field} is missing or wrong: ${fault.allowed}`,
          };
        // A report names its recipients itself, and people have addresses of their own.
        const isOwn = isPersonal || message.kind === "report";
        if (recipient !== "" && !isOwn && !recipientsOf(kind, settings).includes(recipient))
          return { outcome: "refused", detail: NO_RECIPIENT };
        return this.#send(kind, addressedTo(kind, settings, recipient), message);
      },
    };
  }

  /**
   * The state that the audit log compares. Secrets appear by name only, never by value.
   * @throws ApiError 404
   */
  auditState(id: number): Record<string, unknown> {
    const row = this.#find(id);
    const kind = kindNamed(row.kind);
    const settings = this.#settingsOf(row);
    const secrets = kind ? secretNames(kind) : new Set(Object.keys(settings));
    const given = Object.entries(settings).filter(([, value]) => value !== "");
    const named = given.map(([name, value]) => [
      `${SETTING_PREFIX}${name}${secrets.has(name) ? " (secret)" : ""}`,
      value,
    ]);
    return { name: row.name, enabled: row.enabled, ...Object.fromEntries(named) };
  }

  async #send(kind: ChannelKind, settings: ChannelSettings, message: AlertMessage): Promise<Answer> {
    const { egress, log } = this.dependencies;
    if (!this.#isAvailable(kind))
      return { outcome: "refused", detail: "Programs may be started only with --allow-exec yes" };
    const { acknowledgeUrl } = message;
    const secrets = [...secretsOf(kind, settings).values(), ...(acknowledgeUrl ? [acknowledgeUrl] : [])];
    try {
      const answer = await kind.send(settings, message, egress);
      return { ...answer, detail: cut(clean(mask(answer.detail, secrets)).trim(), MAX_DETAIL) };
    } catch (error) {
      const trouble = error instanceof Error ? (error.stack ?? error.message) : String(error);
      log.error("channel failed", { kind: kind.kind, error: mask(trouble, secrets) });
      return { outcome: "failed", detail: "Something went wrong inside Muster; its log says what" };
    }
  }

  #draft(name: string | undefined, given: ChannelSettings): [ChannelKind, ChannelSettings] {
    if (name === undefined)
      throw errors.missingArgument("kind", "the kind of the channel, unless id is given");
    const kind = this.#usableKind(name);
    return [kind, checkedSettings(kind, given)];
  }

  #draftOf(id: number, settings: ChannelSettings): [ChannelKind, ChannelSettings] {
    const row = this.#find(id);
    return [this.#usableKind(row.kind), this.#changed(row, { id, settings })];
  }

  #changed(row: ChannelRow, { settings, forget = [] }: ChannelChange): ChannelSettings {
    return changedSettings(this.#usableKind(row.kind), this.#settingsOf(row), settings, forget);
  }

  #usableKind(name: string): ChannelKind {
    const kind = kindNamed(name);
    if (!kind || !this.#isAvailable(kind))
      throw errors.badArgument("kind", "one that is available (see admin/channels/kinds)");
    return kind;
  }

  #isAvailable(kind: ChannelKind): boolean {
    return kind.exec !== true || this.dependencies.egress.exec;
  }

  #settingsOf(row: ChannelRow): ChannelSettings {
    return openSettings(this.dependencies.box, row.settings);
  }

  #shown(row: ChannelRow, rules: number[]) {
    const kind = kindNamed(row.kind);
    const settings = this.#settingsOf(row);
    const secrets = kind ? secretsOf(kind, settings) : new Map(Object.entries(settings));
    const open = Object.entries(settings).map(([name, value]) => [name, secrets.has(name) ? "" : value]);
    return {
      id: row.id,
      name: row.name,
      kind: row.kind,
      enabled: row.enabled,
      settings: Object.fromEntries(open) as Record<string, string>,
      secrets: [...secrets.keys()],
      rules,
      failures: row.failures,
      lastat: row.lastAt,
      lastoutcome: row.lastOutcome,
      lastanswer: row.lastAnswer,
    };
  }

  #rulesOf(id: number) {
    return rulesOfChannels(this.dependencies.db).filter(({ channelId }) => channelId === id);
  }

  #refuseTaken(name: string): void {
    if (findChannelByName(this.dependencies.db, name)) throw channelExists(name);
  }

  #find(id: number): ChannelRow {
    const row = findChannel(this.dependencies.db, id);
    if (!row) throw errors.notFound("channel", id);
    return row;
  }
}
