import type { Reach, Scope } from "../../platform/http/scope.ts";
import { CollectionReads } from "../../platform/resources/collection-reads.ts";
import type { RecordOf } from "../../platform/resources/resource.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { Db } from "../../platform/storage/open.ts";
import { openSettings } from "./channel-settings.ts";
import { type ChannelRow, channelRows, type RuleOfChannel, rulesOfChannels } from "./channels.repository.ts";
import { type ChannelContent, channel } from "./channels.schemas.ts";
import type { ChannelSettings } from "./kinds/channel-kind.ts";
import { secretNames, secretsOf } from "./kinds/fields.ts";
import { kindNamed } from "./kinds/kinds.ts";
import { PROGRAM } from "./program.ts";

/** Empty values for the fields of a channel that only administrators see. */
const HIDDEN: Partial<RecordOf<typeof channel>> = {
  settings: {},
  secrets: [],
  rules: [],
  failures: 0,
  lastat: null,
  lastoutcome: null,
  lastanswer: "",
};

/**
 * Channels as administrators see them, without their secrets. A manager of host groups sees those that they may use
 * in rules, but not their settings. All settings of a channel are sealed together, so they are opened on the
 * thread that has the key.
 */
export class ChannelReads extends CollectionReads<typeof channel, ChannelRow> {
  constructor(
    db: Db,
    private readonly box: SecretBox,
  ) {
    super(db, channel, channelRows, "name");
  }

  /** The settings with the secrets. Empty if their encryption key was lost. */
  settingsOf({ settings }: ChannelRow): ChannelSettings {
    return openSettings(this.box, settings);
  }

  /** The secrets that are set, by name. If this version does not know the kind, every setting counts as a secret. */
  secretsOf(row: ChannelRow): ReadonlyMap<string, string> {
    const kind = kindNamed(row.kind);
    const settings = this.settingsOf(row);
    return kind ? secretsOf(kind, settings) : new Map(Object.entries(settings));
  }

  override contentOf(row: ChannelRow): ChannelContent {
    const kind = kindNamed(row.kind);
    // Even an empty secret is left out: a caller who sends it back would remove one that was set in between.
    const open = Object.entries(this.settingsOf(row)).filter(
      ([field]) => kind && !secretNames(kind).has(field),
    );
    return { ...super.contentOf(row), settings: Object.fromEntries(open) };
  }

  override visible(rows: ChannelRow[], scope: Scope): ChannelRow[] {
    return scope === "all" ? rows : rows.filter(({ kind }) => kind !== PROGRAM);
  }

  /** Rows as a caller is shown them. @param rules those that use the channels, in their order */
  recordsWith(
    rows: readonly ChannelRow[],
    rules: readonly RuleOfChannel[],
    { act }: Reach,
  ): RecordOf<typeof channel>[] {
    const derived = act === "all" ? this.#derivedFrom(rules) : () => HIDDEN;
    const shown = act === "all" ? rows : rows.map((row) => ({ ...row, settings: "" }));
    return shown.map((row) => {
      const record = { id: row.id, ...this.contentOf(row), ...derived(row) };
      return record as RecordOf<typeof channel>;
    });
  }

  protected derived({ act }: Reach, rows: readonly ChannelRow[]) {
    if (act !== "all") return () => HIDDEN;
    const ids = rows.map(({ id }) => id);
    return this.#derivedFrom(rulesOfChannels(this.db, ids));
  }

  #derivedFrom(rules: readonly RuleOfChannel[]) {
    const using = Map.groupBy(rules, ({ channelId }) => channelId);
    return (row: ChannelRow) => ({
      secrets: [...this.secretsOf(row).keys()],
      rules: (using.get(row.id) ?? []).map(({ ruleId }) => ruleId),
      failures: row.failures,
      lastat: row.lastAt,
      lastoutcome: row.lastOutcome,
      lastanswer: row.lastAnswer,
    });
  }
}
