import * as v from "valibot";
import type { SecretBox } from "../secrets/secret-box.ts";
import { type Db, onRollback } from "../storage/open.ts";
import { DEFINITIONS, type Definition, type SettingName, type SettingValue } from "./settings.definitions.ts";
import { allSettings, putSetting } from "./settings.repository.ts";

/** For those who only look at settings. */
export type SettingsReader = Pick<Settings, "get">;

/** The address that an administrator saved, for links; null when there is none. That of the start comes before it. */
export function savedBaseUrl(settings: SettingsReader): URL | null {
  const saved = settings.get("baseurl");
  return saved === "" ? null : new URL(saved);
}

/** The settings, read once and kept in step with the database: this is their only writer. */
export class Settings {
  readonly #values = new Map<SettingName, string | number>();

  /** @throws if a stored value is not one that this version allows */
  constructor(
    private readonly db: Db,
    private readonly box: SecretBox,
  ) {
    const stored = allSettings(db);
    for (const name of Object.keys(DEFINITIONS) as SettingName[]) {
      const definition: Definition = DEFINITIONS[name];
      const raw = stored.get(name);
      if (raw === undefined) continue;
      const plain = definition.secret ? box.open(raw) : raw;
      const typed = typeof definition.initial === "number" ? Number(plain) : plain;
      this.#values.set(name, v.parse(definition.schema, typed));
    }
  }

  get<K extends SettingName>(name: K): SettingValue<K> {
    return (this.#values.get(name) ?? DEFINITIONS[name].initial) as SettingValue<K>;
  }

  /** Stores a setting. Within a transaction it takes effect for good only when that is committed. */
  set<K extends SettingName>(name: K, value: SettingValue<K>): void {
    const definition: Definition = DEFINITIONS[name];
    const plain = String(value);
    putSetting(this.db, name, definition.secret ? this.box.seal(plain) : plain);
    const before = this.#values.get(name);
    onRollback(this.db, () => {
      if (before === undefined) this.#values.delete(name);
      else this.#values.set(name, before);
    });
    this.#values.set(name, value);
  }
}
