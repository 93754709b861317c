/** Settings: a flag takes precedence over the environment, and the environment over the default. */
import { readPrivately } from "../files/private-file.ts";
import { reasonOf } from "../text.ts";
import { type Config, type ConfigName, SETTING_NAMES, SETTINGS, type Setting } from "./config.definitions.ts";
import { ConfigError } from "./values.ts";

export type Environment = Record<string, string | undefined>;

/** Flags on the command line, with their values. */
export type Flags = ReadonlyMap<string, string>;

/**
 * The variable that names a file with the value of another one, if it is set.
 * @throws ConfigError if both are set: it is not for Muster to choose between an old secret and a new one
 */
export function fileVariable(variable: string, env: Environment): { name: string; path: string } | null {
  const name = `${variable}_FILE`;
  const path = env[name];
  if (!path) return null;
  if (env[variable]) throw new ConfigError(`${variable} and ${name} are both set: unset one of them`);
  return { name, path };
}

/**
 * The flag or variable that sets a setting (null for the default), and a function that reads its text (null if
 * unset).
 * @throws ConfigError
 */
function sourceOf(
  { flag, env: variable, secret, mayBeSecret, default: initial }: Setting,
  flags: Flags,
  env: Environment,
) {
  if (flag !== null && flags.has(flag)) return { name: flag, text: () => flags.get(flag) ?? null };
  const file = secret || mayBeSecret ? fileVariable(variable, env) : null;
  if (file) return { name: file.name, text: () => readPrivately(file.path).replace(/\r?\n$/, "") };
  const text = env[variable];
  return text === undefined
    ? { name: null, text: () => initial ?? null }
    : { name: variable, text: () => text };
}

function hasPassword(value: unknown): boolean {
  return typeof value === "object" && value !== null && "password" in value && value.password !== null;
}

/** Reads one setting. @throws ConfigError with one sentence that names the flag or variable */
export function readSetting<K extends ConfigName>(name: K, flags: Flags, env: Environment): Config[K] {
  const source = sourceOf(SETTINGS[name], flags, env);
  try {
    const text = source.text();
    const value = text === null ? null : SETTINGS[name].read(text);
    if (SETTINGS[name].mayBeSecret && source.name === SETTINGS[name].flag && hasPassword(value))
      throw new ConfigError(
        `must not contain a password, which every user of the machine could see: use ${SETTINGS[name].env}, or a passfile`,
      );
    return value as Config[K];
  } catch (error) {
    const reason = reasonOf(error);
    throw new ConfigError(`${source.name ?? SETTINGS[name].env}: ${reason}`);
  }
}

/** Rejects sign-in settings that are useless or unsafe without others. */
function checkSignIn(config: Config): void {
  if ((config.oidcIssuer === null) !== (config.oidcClientId === null))
    throw new ConfigError("--oidc-issuer and --oidc-client-id must be set together");
  if (config.oidcIssuer && !config.baseUrl)
    throw new ConfigError("--oidc-issuer needs --base-url: the provider sends browsers back there");
  const meetsProxies = config.trustedProxy.length > 0 || config.listen.some((address) => "path" in address);
  if (config.authProxyHeader !== null && !meetsProxies)
    throw new ConfigError(
      "--auth-proxy-header needs --trusted-proxy: the header of other clients is ignored",
    );
  if (config.authProxyAdminGroup !== null && config.authProxyGroupsHeader === null)
    throw new ConfigError("--auth-proxy-admin-group needs --auth-proxy-groups-header");
  if (config.authProxyGroupsHeader !== null && config.authProxyHeader === null)
    throw new ConfigError("--auth-proxy-groups-header needs --auth-proxy-header");
}

/** Reads all settings. @throws ConfigError with one sentence that names the flag or variable */
export function readConfig(flags: Flags, env: Environment): Config {
  const values = SETTING_NAMES.map((name) => [name, readSetting(name, flags, env)]);
  const config = Object.fromEntries(values) as Config;
  if ((config.tlsCert === null) !== (config.tlsKey === null))
    throw new ConfigError("--tls-cert and --tls-key must be set together");
  checkSignIn(config);
  return config;
}

/** Variables of commands that call a running server. */
const OF_COMMANDS = ["MUSTER_URL", "MUSTER_TOKEN", "MUSTER_TOKEN_FILE"];
/** What Kubernetes sets in every container for a service named muster. */
const OF_KUBERNETES = /_(SERVICE|PORT)(_|$)/;

/** Variables that look like settings but are not, such as misspelt ones. */
export function unknownVariables(env: Environment): string[] {
  const settings = Object.values(SETTINGS).flatMap(({ env: variable, secret, mayBeSecret }) =>
    secret || mayBeSecret ? [variable, `${variable}_FILE`] : [variable],
  );
  const knownNames = new Set([...settings, ...OF_COMMANDS]);
  return Object.keys(env).filter(
    (name) =>
      name.startsWith("MUSTER_") &&
      !knownNames.has(name) &&
      !(env.KUBERNETES_SERVICE_HOST && OF_KUBERNETES.test(name)),
  );
}

/** The settings in effect, as text. The text is null if it may be secret; one from a flag or a default never is. */
export function effectiveSettings(flags: Flags, env: Environment) {
  return Object.values(SETTINGS).map((setting) => {
    const source = sourceOf(setting, flags, env);
    const isFromVariable = source.name !== null && source.name !== setting.flag;
    const isHidden = isFromVariable && (setting.secret || setting.mayBeSecret);
    return {
      name: setting.flag ?? setting.env,
      text: isHidden ? null : (source.text() ?? ""),
      source: source.name ?? "default",
    };
  });
}

/** The settings of the command line and environment for the help, one on each line. */
export function settingsHelp(): string {
  const lines = Object.values(SETTINGS).map(
    ({ flag, env, value, secret, mayBeSecret, doc, default: initial }) => {
      const name = flag ? `${flag} ${value}` : "";
      const note = initial ? ` (default ${initial})` : "";
      return `  ${name.padEnd(33)}${(secret || mayBeSecret ? `${env}[_FILE]` : env).padEnd(34)}${doc}${note}`;
    },
  );
  return lines.join("\n");
}
