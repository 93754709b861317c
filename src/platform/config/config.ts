/**
 * Settings from the command line and the environment. A flag takes precedence over the environment, and the
 * environment over the default.
 */
import { readFileSync } from "node:fs";
import { type Config, SETTINGS, type Setting } from "./config.definitions.ts";
import { ConfigError } from "./values.ts";

export type Environment = Record<string, string | undefined>;

/** Flags that were given, with their values. */
export type Flags = ReadonlyMap<string, string>;

/**
 * Source of a setting's value: the name of the flag or variable, null for the default; and the file it names,
 * if any.
 */
export function settingSource(setting: Setting<unknown>, flags: Flags, env: Environment) {
  const { flag, env: variable, file } = setting;
  const fileName = file ? env[`${variable}_FILE`] : undefined;
  if (flag !== null && flags.has(flag)) return { name: flag, fileName: undefined };
  if (fileName) return { name: `${variable}_FILE`, fileName };
  return { name: env[variable] === undefined ? null : variable, fileName: undefined };
}

function textOf(setting: Setting<unknown>, flags: Flags, env: Environment): string | null {
  const { name, fileName } = settingSource(setting, flags, env);
  if (fileName) return readFileSync(fileName, "utf8").replace(/\r?\n$/, "");
  if (name === null) return setting.default;
  return flags.get(name) ?? env[name] ?? null;
}

function read<T>(setting: Setting<T>, flags: Flags, env: Environment): T | null {
  try {
    const text = textOf(setting, flags, env);
    return text === null ? null : setting.read(text);
  } catch (error) {
    const { name } = settingSource(setting, flags, env);
    throw new ConfigError(
      `${name ?? setting.env}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Reads one setting. @throws ConfigError with one sentence that names the flag or variable */
export function readSetting<K extends keyof Config>(name: K, flags: Flags, env: Environment): Config[K] {
  return read(SETTINGS[name] as Setting<unknown>, flags, env) as Config[K];
}

/** Rejects sign-in settings that are useless or unsafe without others. */
function checkSignIn(config: Config): void {
  if ((config.oidcIssuer === null) !== (config.oidcClientId === null))
    throw new ConfigError("--oidc-issuer and --oidc-client-id belong together");
  if (config.oidcIssuer && !config.baseUrl)
    throw new ConfigError("--oidc-issuer needs --base-url: the provider sends browsers back there");
  const meetsProxies = config.trustedProxy.length > 0 || config.listen.some((address) => "path" in address);
  if (config.authProxyHeader !== null && !meetsProxies)
    throw new ConfigError("--auth-proxy-header needs --trusted-proxy: nobody else is believed");
  if ((config.authProxyGroupsHeader === null) !== (config.authProxyAdminGroup === null))
    throw new ConfigError("--auth-proxy-groups-header and --auth-proxy-admin-group belong together");
  if (config.authProxyAdminGroup !== null && config.authProxyHeader === null)
    throw new ConfigError("--auth-proxy-admin-group needs --auth-proxy-header");
}

/** Reads all settings. @throws ConfigError with one sentence that names the flag or variable */
export function readConfig(flags: Flags, env: Environment): Config {
  const names = Object.keys(SETTINGS) as (keyof Config)[];
  const config = Object.fromEntries(
    names.map((name) => [name, readSetting(name, flags, env)]),
  ) as unknown as Config;
  if ((config.tlsCert === null) !== (config.tlsKey === null))
    throw new ConfigError("--tls-cert and --tls-key belong together");
  checkSignIn(config);
  return config;
}

/** The settings in effect, as text. Secrets are hidden. */
export function effectiveSettings(
  flags: Flags,
  env: Environment,
): { name: string; text: string; source: string }[] {
  return Object.values(SETTINGS as Record<string, Setting<unknown>>).map((setting) => {
    const text = textOf(setting, flags, env) ?? "";
    return {
      name: setting.flag ?? setting.env,
      text: setting.file && text !== "" ? "(hidden)" : text,
      source: settingSource(setting, flags, env).name ?? "default",
    };
  });
}

/** The settings as lines of help. */
export function settingsHelp(): string {
  return Object.values(SETTINGS)
    .map((setting) => {
      const name = setting.flag ? `${setting.flag} ${setting.value}` : "";
      const initial = setting.default ? ` (default ${setting.default})` : "";
      const env = setting.file ? `${setting.env}[_FILE]` : setting.env;
      return `  ${name.padEnd(33)}${env.padEnd(34)}${setting.doc}${initial}`;
    })
    .join("\n");
}
