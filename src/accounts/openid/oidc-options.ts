import type { Config } from "../../platform/config/config.definitions.ts";

export interface OidcOptions {
  issuer: URL;
  clientId: string;
  /** null for a public client. */
  clientSecret: string | null;
  /** Claim that lists the user's groups; dots separate the steps of a path. */
  groupsClaim: string;
  /** Group whose members are administrators, and only they; null: roles are assigned in Muster. */
  adminGroup: string | null;
  /** Group whose members may sign in, and only they; null: every user of the provider. */
  allowedGroup: string | null;
  /** Label of the sign-in button. */
  name: string;
  /** Origin under which browsers reach Muster. */
  baseUrl: URL;
  /** Time limit of each request to the provider, seconds. */
  timeout?: number;
}

/** The options from the settings; null when no provider is configured. */
export function oidcOptions(config: Config): OidcOptions | null {
  const { oidcIssuer, oidcClientId, baseUrl } = config;
  if (!oidcIssuer || oidcClientId === null || !baseUrl) return null;
  return {
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: config.oidcClientSecret,
    groupsClaim: config.oidcGroupsClaim,
    adminGroup: config.oidcAdminGroup,
    allowedGroup: config.oidcAllowedGroup,
    name: config.oidcName,
    baseUrl,
  };
}

/** Path to which the provider redirects browsers. */
export const CALLBACK = "/login/oidc/callback";
