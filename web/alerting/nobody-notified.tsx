import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { Empty, Unread } from "../ui/states.tsx";
import { ALERTS } from "./alerts.texts.ts";
import type { Records, Rule } from "./types.ts";

/** Tells administrators that no rule exists, so that nobody is notified. */
export function NobodyNotified() {
  const { session } = useMuster();
  const rules = useResource<Records<Rule>>("/admin/rules/list", {}, { skip: !session.isAdmin });
  if (rules.data.value === null) return <Unread from={rules} what={ALERTS.rules} />;
  if (rules.data.value.records.length > 0) return null;
  return (
    <div class="nobody-notified">
      <Empty>
        {ALERTS.noneNotified} <a href="/setup">{ALERTS.choose}</a>
      </Empty>
    </div>
  );
}
