/** Every kind of channel there is, as people choose from them. */
import type { ChannelKind } from "./channel-kind.ts";
import { discord } from "./kinds/discord.ts";
import { email } from "./kinds/email.ts";
import { exec } from "./kinds/exec.ts";
import { gotify } from "./kinds/gotify.ts";
import { matrix } from "./kinds/matrix.ts";
import { ntfy } from "./kinds/ntfy.ts";
import { pagerduty } from "./kinds/pagerduty.ts";
import { pushover } from "./kinds/pushover.ts";
import { slack } from "./kinds/slack.ts";
import { teams } from "./kinds/teams.ts";
import { telegram } from "./kinds/telegram.ts";
import { webhook } from "./kinds/webhook.ts";

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
  exec,
];

export function kindNamed(name: string): ChannelKind | undefined {
  return KINDS.find(({ kind }) => kind === name);
}
