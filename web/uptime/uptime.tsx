import { useMemo } from "preact/hooks";
import { DAY } from "../../src/platform/clock.ts";
import { apiUrl } from "../api/client.ts";
import type { HostStatusList } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { match } from "../state/router.ts";
import { itemsOf } from "../text/comma-list.ts";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { printPage } from "../ui/printing.ts";
import { Loaded } from "../ui/states.tsx";
import { useDialog } from "../ui/use-dialog.ts";
import { TargetDialog } from "./target-dialog.tsx";
import { UPTIME } from "./uptime.texts.ts";
import { RangeChoice } from "./uptime-range.tsx";
import { CALENDAR_RANGES, CUSTOM, UPTIME_RANGES } from "./uptime-ranges.ts";
import { isOfHosts, type Report, ReportBody } from "./uptime-report.tsx";

const LIVE_SECONDS = 30;
/** Cells of each timeline. */
const CELLS = 60;

/** Uptime of all hosts or those of a group, or of the services of a host. Filters and range are in the address. */
function UptimeScreen({ hostId }: { hostId?: string }) {
  const { at, router, now, session } = useMuster();
  const query = router.address.value.query;
  const ranges = [...UPTIME_RANGES, ...CALENDAR_RANGES];
  const range = ranges.find(([code]) => String(code) === query.get("range"))?.[0] ?? 0;
  const opened = useMemo(() => now.peek(), [now]);
  const dates = { datefrom: query.get("datefrom") ?? opened - DAY, dateto: query.get("dateto") };
  const path = hostId ? "/reports/uptime/get" : "/reports/uptime/budget";
  const selected = hostId
    ? { id: hostId }
    : { hostgroupid: query.get("group"), tag: itemsOf(query.get("tag") ?? "") };
  const args = { ...selected, range, ...(range === CUSTOM ? dates : {}) };
  const report = useResource<Report>(
    path,
    { ...args, cells: CELLS },
    { every: LIVE_SECONDS, keepPrevious: true },
  );
  const host = useResource<HostStatusList>("/status/hosts/list", { hostid: hostId, results: 1 });
  const { dialog, open, onClose } = useDialog<{ group: { id: number; name: string }; target: number | null }>(
    () => report.refresh(),
  );
  const shown = report.data.value;
  const { hostgroup: group = null, target = null } = shown && isOfHosts(shown) ? shown : {};
  const name = hostId ? host.data.value?.records[0]?.hostname : group?.name;
  return (
    <Page
      title={name ? UPTIME.titleOf(name) : hostId ? UPTIME.unknownHost(hostId) : UPTIME.title}
      {...(hostId ? { breadcrumbs: [[UPTIME.title, `/uptime${location.search}`]] as const } : {})}
      aside={
        <div class={hostId && !name ? "awaited" : undefined}>
          {group && session.may("manage", [group]) && (
            <button type="button" onClick={open({ group, target })}>
              {UPTIME.setTarget}
            </button>
          )}
          <a class="button" href={apiUrl(path, { ...args, at: at.value, format: "csv" })} download>
            <Icon name="download" />
            {UPTIME.csv}
          </a>
          <button type="button" onClick={printPage}>
            <Icon name="print" />
            {UPTIME.print}
          </button>
        </div>
      }
    >
      <RangeChoice range={range} ofHost={hostId !== undefined} timeZone={shown?.timezone} />
      {/* The report waits for the name of the host, which is in the heading and determines its height. */}
      <Loaded from={host}>
        {() => <Loaded from={report}>{(data) => <ReportBody report={data} hostId={hostId} />}</Loaded>}
      </Loaded>
      {dialog && <TargetDialog {...dialog} onClose={onClose} />}
    </Page>
  );
}

/** The uptime of the host in the address, or of all hosts. */
export function UptimeOfAddress() {
  const { router } = useMuster();
  const id = match("/uptime/:id", router.address.value.path)?.id;
  return <UptimeScreen key={id ?? "all"} {...(id && { hostId: id })} />;
}
