/** Checks of what people put aside long ago. */
import type { Forgotten, ForgottenKind } from "../../alerting/forgotten/forgotten.schemas.ts";
import { counted } from "../../platform/text.ts";
import type { HealthCheck } from "./finding.ts";
import { days, named } from "./words.ts";

interface Words {
  code: string;
  noun: string;
  /** What is true of them, for one and for several, before "for more than 30 days". */
  has: readonly [one: string, several: string];
  advice: string;
}

const WORDS: Readonly<Record<ForgottenKind, Words>> = {
  acknowledgement: {
    code: "forgotten.acknowledgements",
    noun: "acknowledgement",
    has: ["has lasted", "have lasted"],
    advice: "Fix what is failing, or end the acknowledgements of failures that nobody takes care of.",
  },
  mute: {
    code: "forgotten.mutes",
    noun: "mute",
    has: ["has lasted", "have lasted"],
    advice: "End those that are no longer needed: they pause notifications.",
  },
  host: {
    code: "forgotten.hosts",
    noun: "host",
    has: ["has been ignored", "have been ignored"],
    advice: "Stop ignoring those that matter again, and delete the others.",
  },
  rule: {
    code: "forgotten.rules",
    noun: "rule",
    has: ["has been disabled", "have been disabled"],
    advice: "Enable those that are needed, and delete the others.",
  },
};

function nameOf({ kind, name, uname, note }: Forgotten): string {
  return kind === "mute" ? note || `one of ${uname}` : name;
}

const forgotten: HealthCheck = ({ forgotten: { days: age, totals, records } }) =>
  Object.entries(WORDS).flatMap(
    ([
      kind,
      {
        code,
        noun,
        has: [one, several],
        advice,
      },
    ]) => {
      const total = totals[kind as ForgottenKind];
      if (total === 0) return [];
      const names = records.filter((record) => record.kind === kind).map(nameOf);
      return [
        {
          code,
          severity: "warning",
          text: `${counted(total, noun)} ${total === 1 ? one : several} for more than ${days(age)}: ${named(names, total, noun)}.`,
          advice,
        },
      ];
    },
  );

export const forgottenChecks: readonly HealthCheck[] = [forgotten];
