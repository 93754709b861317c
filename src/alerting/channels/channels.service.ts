import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../platform/clock.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { declareError, declareTaken, errors, found, INTERNAL_ERROR } from "../../platform/http/errors.ts";
import { FULL_REACH } from "../../platform/http/scope.ts";
import type { Log } from "../../platform/log.ts";
import { Collection, type PutOutcome } from "../../platform/resources/collection.ts";
import type { References } from "../../platform/resources/references.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { clean, cut, stackOf } from "../../platform/text.ts";
import { ChannelReads } from "./channel-reads.ts";
import { checkedSettings, inherited, openSettings, rejectUnknownSettings } from "./channel-settings.ts";
import {
  type ChannelRow,
  channelRows,
  detachDeliveries,
  findChannel,
  makeDue,
  readdress,
  reportsOfChannel,
  rulesOfChannels,
  usersOfChannel,
} from "./channels.repository.ts";
import type { ChannelContent, channel } from "./channels.schemas.ts";
import type { AlertMessage, Answer, ChannelKind, ChannelSettings } from "./kinds/channel-kind.ts";
import { addressedTo, faultOf, recipientsOf, secretsOf, withInitials } from "./kinds/fields.ts";
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

const MAX_CHANNELS = 1000;
/** Messages that one step of a deletion separates from the channel. */
const DETACHED = 500;
/** Longest remote answer that is shown and stored, characters. */
const MAX_DETAIL = 4096;
const NO_RECIPIENT = "the channel no longer has this recipient";

/** A channel as the sender sees it. */
export interface ChannelSender {
  id: number;
  name: string;
  enabled: boolean;
  /** Whether one message may report several events. */
  grouped: boolean;
  /** Recipients who can each get a message of their own; empty where the channel has only one recipient. */
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
  references: References;
  egress: Egress;
  /** Settings of Muster, some of which channels may use. */
  settings: SettingsReader;
  clock: Clock;
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonic: () => number;
  log: Log;
  /** Public origin of Muster; null if not configured. */
  baseUrl: () => URL | null;
}

/** Notification channels: administrators manage them, the sender sends through them. */
export class Channels extends Collection<typeof channel, ChannelRow> {
  readonly #reads: ChannelReads;

  constructor(private readonly dependencies: ChannelDependencies) {
    const { db, box, references } = dependencies;
    const reads = new ChannelReads(db, box);
    super({ reads, references, taken: channelExists, maxObjects: MAX_CHANNELS });
    this.#reads = reads;
  }

  /** The kinds of channels, with the settings of each. */
  kinds() {
    return {
      records: KINDS.map((kind) => ({
        kind: kind.kind,
        label: kind.label,
        grouped: kind.grouped,
        available: this.#isAvailable(kind),
        fields: kind.fields.map(({ initial = "", choices = [], shared = false, ...field }) => ({
          ...field,
          shared,
          initial,
          choices: [...choices],
        })),
      })),
    };
  }

  protected columnsOf(content: ChannelContent, before: ChannelRow | null): Omit<ChannelRow, "id"> {
    if (before && content.kind !== before.kind)
      throw errors.badArgument("kind", `${before.kind}, as before; create another channel instead`);
    const stored = before ? this.#reads.settingsOf(before) : {};
    const settings = { ...stored, ...content.settings };
    const isChecked = before !== null && isDeepStrictEqual(settings, stored);
    // A channel without its secret is disabled; its other fields may change.
    if (isChecked && (before.enabled || !content.enabled)) return this.#columns(content, before, stored);
    return this.#columns(content, before, this.#checked(this.#usableKind(content.kind), settings));
  }

  #checked(kind: ChannelKind, settings: ChannelSettings): ChannelSettings {
    return checkedSettings(kind, settings, this.dependencies.settings);
  }

  #inherited(kind: ChannelKind, settings: ChannelSettings): ChannelSettings {
    return inherited(kind, settings, this.dependencies.settings);
  }

  #columns(
    { settings: _, ...content }: ChannelContent,
    before: ChannelRow | null,
    values: ChannelSettings,
  ): Omit<ChannelRow, "id"> {
    const { box, clock } = this.dependencies;
    const isSame =
      before !== null &&
      before.enabled === content.enabled &&
      isDeepStrictEqual(values, this.#reads.settingsOf(before));
    return {
      ...content,
      settings: isSame ? before.settings : box.seal(JSON.stringify(values)),
      createdAt: before?.createdAt ?? clock.now(),
      // Failures with the old settings say nothing about the new ones.
      failures: isSame ? before.failures : 0,
      heldUntil: isSame ? before.heldUntil : null,
      lastAt: before?.lastAt ?? null,
      lastOutcome: before?.lastOutcome ?? null,
      lastAnswer: before?.lastAnswer ?? "",
    };
  }

  protected override updated(
    row: ChannelRow,
    columns: Omit<ChannelRow, "id">,
    content: ChannelContent,
  ): void {
    super.updated(row, columns, content);
    if (columns.settings === row.settings) return;
    this.#readdress(row, this.#reads.settingsOf({ ...row, settings: columns.settings }));
    makeDue(this.dependencies.db, row);
  }

  /** If as many recipients come as go, they take the places of those in their order, with the messages that wait. */
  #readdress(row: ChannelRow, settings: ChannelSettings): void {
    const kind = kindNamed(row.kind);
    if (!kind) return;
    const [before, after] = [recipientsOf(kind, this.#reads.settingsOf(row)), recipientsOf(kind, settings)];
    const gone = before.filter((recipient) => !after.includes(recipient));
    const added = after.filter((recipient) => !before.includes(recipient));
    if (gone.length !== added.length) return;
    for (const [i, from] of gone.entries()) {
      const to = added[i];
      if (to !== undefined) readdress(this.dependencies.db, row.id, { from, to });
    }
  }

  /**
   * Separates some messages from the channel before it is deleted: they are kept.
   * @returns whether none is left
   * @throws ApiError 409 if rules, reports or users use the channel
   */
  protected override emptied(row: ChannelRow): boolean {
    const { db } = this.dependencies;
    const rules = rulesOfChannels(db, [row.id]);
    const using = [
      ...rules.map(({ name }) => `the rule "${name}"`),
      ...reportsOfChannel(db, row.id).map((name) => `the report "${name}"`),
      ...usersOfChannel(db, row.id).map((uname) => `the contacts of ${uname}`),
    ];
    if (using.length > 0) throw channelUsed(row.name, using);
    return detachDeliveries(db, row.id, DETACHED) < DETACHED;
  }

  /** The channels as an export file contains them. @param withSecrets whether the file contains passwords and tokens */
  override contents(withSecrets: boolean): ChannelContent[] {
    return this.#reads.all().map((row) => {
      const content = this.#reads.contentOf(row);
      return withSecrets ? { ...content, settings: this.#reads.settingsOf(row) } : content;
    });
  }

  /**
   * A channel whose secret is not in the file is stored disabled, until someone enters the secret.
   * @param secrets names of the secrets that were set where the file comes from: the channel may need them even if its
   *   kind does not
   */
  override put(content: ChannelContent, place: number, secrets: readonly string[] = []): PutOutcome {
    const { db } = this.dependencies;
    const before = channelRows.findByKey(db, content.name) ?? null;
    const kind = kindNamed(content.kind);
    if (!kind) return super.put(content, place);
    if (before && before.kind !== content.kind)
      throw errors.badArgument("kind", `${before.kind}, as the channel is here`);
    const named = Object.fromEntries(secrets.map((name) => [name, "set"]));
    rejectUnknownSettings(kind, { ...content.settings, ...named });
    const stored = before ? this.#reads.settingsOf(before) : {};
    const values = withInitials(kind, { ...stored, ...content.settings });
    const isIncomplete =
      lacksSecret(kind, this.#inherited(kind, values)) || secrets.some((name) => values[name] === "");
    const columns = this.#columns({ ...content, enabled: content.enabled && !isIncomplete }, before, values);
    if (before) this.updated(before, columns, content);
    else channelRows.insert(db, columns);
    if (isIncomplete) return "incomplete";
    return before ? "updated" : "created";
  }

  /**
   * What the audit log says about a channel. Secrets appear by name only, never by value.
   * @throws ApiError 404
   */
  override audited(id: number): object {
    const row = found(channelRows.find(this.dependencies.db, id), "channel", id);
    const secrets = this.#reads.secretsOf(row);
    const settings = Object.entries(this.#reads.settingsOf(row)).filter(([, value]) => value !== "");
    const fieldsByName = settings.map(([name, value]) => [
      `settings.${name}${secrets.has(name) ? " (secret)" : ""}`,
      value,
    ]);
    const { settings: _, ...content } = this.#reads.contentOf(row);
    return { ...content, ...Object.fromEntries(fieldsByName) };
  }

  /**
   * Sends a test message through a stored channel, a stored channel with changes, or a channel that is not
   * stored yet.
   * @returns the remote's answer, and the duration in milliseconds
   * @throws ApiError 400, 404
   */
  async test(id: number | undefined, content: ChannelContent | undefined) {
    const { box, clock, monotonic, baseUrl } = this.dependencies;
    const tested = this.draft(id, content, FULL_REACH);
    const kind = this.#usableKind(tested.kind);
    const settings = this.#inherited(kind, this.#checked(kind, openSettings(box, tested.settings)));
    const start = monotonic();
    const { outcome, detail } = await this.#send(kind, settings, testMessage(clock.now(), baseUrl()));
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
      recipients: kind ? recipientsOf(kind, this.#reads.settingsOf(row)) : [],
      send: async (message, recipient = "", isPersonal = false) => {
        if (!kind)
          return { outcome: "refused", detail: `This version knows no channels of kind ${row.kind}` };
        const settings = this.#inherited(kind, this.#reads.settingsOf(row));
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
          return { outcome: "refused", detail: NO_RECIPIENT, only: "message" };
        return this.#send(kind, addressedTo(kind, settings, recipient), message);
      },
    };
  }

  async #send(kind: ChannelKind, settings: ChannelSettings, message: AlertMessage): Promise<Answer> {
    const { egress, log } = this.dependencies;
    const { acknowledgeUrl } = message;
    const secrets = [...secretsOf(kind, settings).values(), ...(acknowledgeUrl ? [acknowledgeUrl] : [])];
    try {
      const answer = await kind.send(settings, message, egress);
      return { ...answer, detail: cut(clean(mask(answer.detail, secrets)).trim(), MAX_DETAIL) };
    } catch (error) {
      log.error("channel failed", { kind: kind.kind, error: mask(stackOf(error), secrets) });
      return { outcome: "failed", detail: INTERNAL_ERROR };
    }
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
}

/**
 * Whether a missing secret is the only fault of settings, as in a file without secrets.
 * @throws ApiError for others
 */
function lacksSecret(kind: ChannelKind, settings: ChannelSettings): boolean {
  const fault = faultOf(kind, settings);
  if (!fault) return false;
  const field = kind.fields.find(({ name }) => name === fault.field);
  if (field?.type === "secret" && settings[fault.field] === "") return true;
  throw errors.badArgument(`settings.${fault.field}`, fault.allowed);
}
