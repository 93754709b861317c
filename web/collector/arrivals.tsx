import type { HostStatusList, RejectedMessageList } from "../api/types.ts";
import { useResource } from "../state/polled-resource.ts";
import { Icon } from "../ui/icon.tsx";
import { Loaded, Unread } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { REJECTED, SETUP } from "./setup.texts.ts";

/** Poll interval, short because someone is waiting. */
const LIVE_SECONDS = 2;
const SHOWN = 3;

/** Hosts that report, or why their messages were rejected: in one box, below the form that waits for it. */
export function Arrivals() {
  const hosts = useResource<HostStatusList>(
    "/status/hosts/list",
    { results: SHOWN },
    { every: LIVE_SECONDS },
  );
  const rejected = useResource<RejectedMessageList>("/admin/refusals/list", {}, { every: LIVE_SECONDS });
  const reasons = (rejected.data.value?.records ?? []).slice(0, SHOWN);
  return (
    <div class="arrivals" role="status">
      <Loaded from={hosts}>
        {({ records, totalRecords }) =>
          records.length === 0 ? (
            <p class="waiting">
              <span class="pulse" aria-hidden="true" />
              {SETUP.waiting}
            </p>
          ) : (
            <p class="arrived">
              <Icon name="check" />
              <span>{SETUP.arrived(totalRecords ?? records.length)}</span>
              {records.map((host) => (
                <a key={host.id} href={`/hosts/${host.id}`}>
                  {host.hostname}
                </a>
              ))}
            </p>
          )
        }
      </Loaded>
      {reasons.length === 0 && <Unread from={rejected} what={REJECTED.title} />}
      {reasons.map(({ address, reason, last }) => (
        <p key={`${address} ${reason}`} class="form-error">
          <strong>{address}</strong> {reason} <Time at={last} />
        </p>
      ))}
    </div>
  );
}
