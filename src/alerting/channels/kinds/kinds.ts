/** Every kind of channel, in the order in which the UI offers them. */

import { apprise } from "./apprise.ts";
import type { ChannelKind } from "./channel-kind.ts";
import { discord } from "./discord.ts";
import { email } from "./email.ts";
import { exec } from "./exec.ts";
import { gotify } from "./gotify.ts";
import { matrix } from "./matrix.ts";
import { ntfy } from "./ntfy.ts";
import { pagerduty } from "./pagerduty.ts";
import { pushover } from "./pushover.ts";
import { slack } from "./slack.ts";
import { teams } from "./teams.ts";
import { telegram } from "./telegram.ts";
import { webhook } from "./webhook.ts";

export const KINDS: readonly ChannelKind[] = [
  email,
  webhook,
  slack,
  teams,
  discord,
  telegram,
  matrix,
  ntfy,
  gotify,
  pushover,
  pagerduty,
  apprise,
  exec,
];

/** The kind of channel of this name; undefined if this version has none. */
export function kindNamed(name: string): ChannelKind | undefined {
  return KINDS.find(({ kind }) => kind === name);
}
