import * as v from "valibot";
import type { Db } from "../database/open.ts";
import { integer, text } from "../http/validate.ts";
import type { SecretBox } from "../secrets/secret-box.ts";
import { allSettings, putSetting } from "./settings.repository.ts";

interface Definition {
  schema: v.GenericSchema<string | number>;
  initial: string | number;
  /** Sealed in the database. */
  secret?: true;
}

/** Settings that live in the database and change while Muster runs. */
export const DEFINITIONS = {
  /** User name and password with which agents post. */
  collectoruser: { schema: text(1, 255), initial: "monit" },
  collectorpassword: { schema: text(1, 255), initial: "", secret: true },
  /** The password before the last change, and when it was replaced (unix seconds). */
  collectorpasswordold: { schema: text(0, 255), initial: "", secret: true },
  collectorpasswordchanged: { schema: integer(0, Number.MAX_SAFE_INTEGER), initial: 0 },
  /** Minutes without a request after which a login ends. */
  sessionidle: { schema: integer(1, 43_200), initial: 30 },
  /** When Muster was last known to run (unix seconds): the time it was off counts for no host. */
  aliveat: { schema: integer(0, Number.MAX_SAFE_INTEGER), initial: 0 },
} satisfies Record<string, Definition>;

export type SettingName = keyof typeof DEFINITIONS;
export type SettingValue<K extends SettingName> = v.InferOutput<(typeof DEFINITIONS)[K]["schema"]>;

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

  set<K extends SettingName>(name: K, value: SettingValue<K>): void {
    const definition: Definition = DEFINITIONS[name];
    const plain = String(value);
    putSetting(this.db, name, definition.secret ? this.box.seal(plain) : plain);
    this.#values.set(name, value);
  }
}
