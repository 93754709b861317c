import type { SecretBox } from "../secrets/secret-box.ts";
import { StartupError } from "../startup-error.ts";
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

/** What keeps a stored setting from being used, the end of a sentence; null if nothing does. */
export function faultOfStored(name: SettingName, raw: string, box: SecretBox): string | null {
  const definition: Definition = DEFINITIONS[name];
  if (definition.secret && !box.opens(raw)) return "does not open with secret.key";
  try {
    valueIn(definition, definition.secret ? box.open(raw) : raw);
    return null;
  } catch {
    return "has a value that this version does not allow";
  }
}

/** Settings, loaded once and cached. This is the only writer, so the cache matches the database. */
export class Settings {
  readonly #values = new Map<SettingName, string | number>();

  /** @throws StartupError for a secret that does not open, and a value that this version does not allow */
  constructor(
    private readonly db: Db,
    private readonly box: SecretBox,
  ) {
    const stored = allSettings(db);
    for (const name of Object.keys(DEFINITIONS) as SettingName[]) {
      const definition: Definition = DEFINITIONS[name];
      const raw = stored.get(name);
      if (raw === undefined) continue;
      const fault = faultOfStored(name, raw, box);
      if (fault !== null)
        throw new StartupError(`the setting ${name} ${fault}: muster doctor says what can be done`);
      this.#values.set(name, valueIn(definition, definition.secret ? box.open(raw) : raw));
    }
  }

  get<K extends SettingName>(name: K): SettingValue<K> {
    return (this.#values.get(name) ?? DEFINITIONS[name].initial) as SettingValue<K>;
  }

  /** Whether the setting is stored, also with its initial value. */
  isStored(name: SettingName): boolean {
    return this.#values.has(name);
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
