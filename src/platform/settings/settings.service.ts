import type { SecretBox } from "../secrets/secret-box.ts";
import { type Db, onRollback } from "../storage/open.ts";
import {
  DEFINITIONS,
  type Definition,
  type SettingName,
  type SettingValue,
  valueIn,
} from "./settings.definitions.ts";
import { allSettings, putSetting } from "./settings.repository.ts";

export type SettingsReader = Pick<Settings, "get">;

/** The base URL saved by an administrator; null when there is none. --base-url takes precedence. */
export function savedBaseUrl(settings: SettingsReader): URL | null {
  const saved = settings.get("baseurl");
  return saved === "" ? null : new URL(saved);
}

/** Settings, loaded once and cached. This is the only writer, so the cache matches the database. */
export class Settings {
  readonly #values = new Map<SettingName, string | number>();

  /** @throws when this version does not allow a stored value */
  constructor(
    private readonly db: Db,
    private readonly box: SecretBox,
  ) {
    const stored = allSettings(db);
    for (const name of Object.keys(DEFINITIONS) as SettingName[]) {
      const definition: Definition = DEFINITIONS[name];
      const raw = stored.get(name);
      if (raw !== undefined)
        this.#values.set(name, valueIn(definition, definition.secret ? box.open(raw) : raw));
    }
  }

  get<K extends SettingName>(name: K): SettingValue<K> {
    return (this.#values.get(name) ?? DEFINITIONS[name].initial) as SettingValue<K>;
  }

  /** Stores a setting. If the surrounding transaction is rolled back, the cached value is too. */
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
