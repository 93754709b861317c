import type * as v from "valibot";
import { endHolds, makeDue } from "../../alerting/channels/channels.repository.ts";
import { email, PASSWORD_NEEDS_ENCRYPTION } from "../../alerting/channels/kinds/email.ts";
import type { CollectorCredential } from "../../monitoring/agent-keys/collector-credential.ts";
import { oldestData } from "../../monitoring/retention/retention.repository.ts";
import { isOfClient, readHeaders } from "../../platform/egress/header-list.ts";
import { errors } from "../../platform/http/errors.ts";
import { allowedBy } from "../../platform/http/validate.ts";
import {
  type Definition,
  EDITABLE,
  type EditableName,
} from "../../platform/settings/settings.definitions.ts";
import type { updateArguments } from "../../platform/settings/settings.schemas.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { databaseSize } from "../../platform/storage/size.repository.ts";
import { VERSION } from "../../platform/version.ts";
import { refuseUnfitPlan, refuseUnusablePlace } from "../backups/plan.ts";

/** Bounds of a number, for forms, where its schema states any. */
function boundsOf(schema: v.GenericSchema): { min?: number; max?: number } {
  const bounds: { min?: number; max?: number } = {};
  const actions =
    "pipe" in schema ? (schema.pipe as { type: string; requirement?: number; pipe?: unknown }[]) : [];
  for (const action of actions.flatMap((action) =>
    "pipe" in action ? (action.pipe as typeof actions) : [action],
  )) {
    if (action.type === "min_value" && action.requirement !== undefined) bounds.min = action.requirement;
    if (action.type === "max_value" && action.requirement !== undefined) bounds.max = action.requirement;
  }
  return bounds;
}

const isOfBackups = (name: string) => name.startsWith("backup");
const isOfMail = (name: string) => name.startsWith("mail");

interface SettingsAdminOptions {
  db: Db;
  settings: Settings;
  credential: CollectorCredential;
  /** From the command line or environment. */
  baseUrl: URL | null;
  /** Path of the data folder; null without one. */
  folder: string | null;
}

/** The settings that are changed while Muster runs, with the rules about several of them. */
export class SettingsAdmin {
  readonly #settings: Settings;

  constructor(private readonly options: SettingsAdminOptions) {
    this.#settings = options.settings;
  }

  /** Path of the data folder; null without one. */
  get folder(): string | null {
    return this.options.folder;
  }

  /** @param withSecrets whether to include secret settings; without, they are "" */
  get(withSecrets: boolean) {
    return {
      settings: (Object.entries(EDITABLE) as [EditableName, Definition][]).map(([name, definition]) => ({
        name,
        value: definition.writeOnly || (definition.secret && !withSecrets) ? "" : this.#settings.get(name),
        set: this.#settings.get(name) !== "",
        doc: definition.doc,
        allowed: allowedBy(definition.schema) ?? "",
        kind: typeof definition.initial === "number" ? ("number" as const) : ("text" as const),
        ...boundsOf(definition.schema),
      })),
      database: { bytes: databaseSize(this.options.db), ...oldestData(this.options.db) },
      version: VERSION,
      baseurl: {
        origin: this.options.baseUrl?.origin ?? this.#settings.get("baseurl"),
        fixed: this.options.baseUrl !== null,
      },
    };
  }

  /** All values by name, including secret ones. */
  values(): Record<string, string | number> {
    const names = Object.keys(EDITABLE) as EditableName[];
    return Object.fromEntries(names.map((name) => [name, this.#settings.get(name)]));
  }

  /** Stores these settings, which have to fit those that are kept. @throws ApiError 400 */
  change(changes: v.InferOutput<typeof updateArguments>): void {
    transaction(this.options.db, () => {
      this.update(changes);
      const names = Object.keys(changes);
      this.refuseUnfit(names, this.folder);
      if (names.some(isOfBackups)) refuseUnusablePlace(this.#settings);
    });
  }

  /**
   * Refuses stored settings that do not fit each other, but not backups that cannot be made yet: an import may come
   * before the folder, and before the secrets.
   * @param names of the settings that were changed
   * @param dataFolder path; null without one
   * @throws ApiError 400
   */
  refuseUnfit(names: readonly string[], dataFolder: string | null): void {
    if (names.some(isOfBackups)) refuseUnfitPlan(this.#settings, dataFolder);
    if (names.some(isOfMail)) this.#refuseUnfitMail();
  }

  #refuseUnfitMail(): void {
    const settings = this.#settings;
    const login = settings.get("mailuser");
    if (settings.get("mailhost") !== "" && settings.get("mailfrom") === "")
      throw errors.missingArgument("mailfrom", "the address that mails come from");
    if (settings.get("mailpassword") !== "" && login === "")
      throw errors.missingArgument("mailuser", "the user name of this password");
    if (login !== "" && settings.get("mailsecurity") === "none")
      throw errors.badArgument("mailsecurity", PASSWORD_NEEDS_ENCRYPTION);
  }

  /** Stores these settings and keeps the others. @throws ApiError 400 */
  update(changes: v.InferOutput<typeof updateArguments>): void {
    // Not by the schema: version 1.0.0 stored such headers, and Muster would not start with them.
    if (Object.keys(readHeaders(changes.otlpheaders ?? "") ?? {}).some(isOfClient))
      throw errors.badArgument("otlpheaders", allowedBy(EDITABLE.otlpheaders.schema) ?? "");
    transaction(this.options.db, () => {
      for (const name of Object.keys(EDITABLE) as EditableName[]) {
        const value = changes[name];
        if (value === undefined) continue;
        if (name === "collectorpassword") this.options.credential.change(String(value));
        else this.#settings.set(name, value as never);
      }
      if (changes.mailuser === "" && !changes.mailpassword) this.#settings.set("mailpassword", "");
      // Failures of the previous mail server say nothing about this one.
      if (!Object.keys(changes).some(isOfMail)) return;
      endHolds(this.options.db);
      makeDue(this.options.db, email);
    });
  }
}
