import type { Db } from "../storage/open.ts";
import {
  DEFINITIONS,
  type Definition,
  type SettingName,
  type SettingValue,
  valueIn,
} from "./settings.definitions.ts";
import { allSettings } from "./settings.repository.ts";
import type { SettingsReader } from "./settings.service.ts";

/** Settings read at each call, for a connection that does not write them. Secrets are not available. */
export class StoredSettings implements SettingsReader {
  constructor(private readonly db: Db) {}

  get<K extends SettingName>(name: K): SettingValue<K> {
    const definition: Definition = DEFINITIONS[name];
    if (definition.secret) throw new Error(`${name} is sealed`);
    const raw = allSettings(this.db).get(name);
    return (raw === undefined ? definition.initial : valueIn(definition, raw)) as SettingValue<K>;
  }
}
