import { useContext } from "preact/hooks";
import type { EventList, HostStatusList } from "../api/types.ts";
import { Welcome } from "../collector/welcome.tsx";
import { DismissButton } from "../events/dismiss-button.tsx";
import { EventTable } from "../events/event-table.tsx";
import { Histogram } from "../events/histogram.tsx";
import { HostCounts } from "../hosts/host-counts.tsx";
import { HOST_COLUMNS, worstFirst } from "../hosts/host-table.tsx";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { counted } from "../text/format.ts";
import { SummaryContext } from "../ui/overall-status.ts";
import { Page, Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";

const HOSTS_SHOWN = 15;
const PROBLEMS_SHOWN = 20;
const LIVE_SECONDS = 5;

/** Active errors that nobody has dismissed. Without any, there is no section. */
function Problems() {
  const { session } = useMuster();
  const announce = useAnnounce();
  const problems = useResource<EventList>(
    "/reports/events/list",
    { active: 2, results: PROBLEMS_SHOWN },
    { every: LIVE_SECONDS },
  );
  const data = problems.data.value;
  if (data?.totalRecords === 0 && !problems.error.value) return null;
  const more = (data?.totalRecords ?? 0) - (data?.records.length ?? 0);
  return (
    <Section title="Active problems" aside={<a href="/events?active=2">All active problems</a>}>
      <Loaded from={problems}>
        {({ records }) => (
          <>
            <EventTable
              caption="Active problems"
              rows={records}
              {...(session.user.value && {
                control: (event) => (
                  <DismissButton
                    event={event}
                    onDone={() => {
                      announce("Dismissed");
                      void problems.refresh();
                    }}
                  />
                ),
              })}
            />
            {more > 0 && (
              <p class="more">
                <a href="/events?active=2">{counted(more, "more problem")}</a>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function WorstHosts() {
  const hosts = useResource<HostStatusList>(
    "/status/hosts/list",
    { sort: "led", results: HOSTS_SHOWN },
    { every: LIVE_SECONDS },
  );
  return (
    <Section title="Hosts, worst first" aside={<a href="/hosts">All hosts</a>}>
      <Loaded from={hosts}>
        {({ records, totalRecords }) => (
          <>
            <Table
              caption="Hosts, worst first"
              columns={HOST_COLUMNS}
              rows={records.toSorted(worstFirst)}
              rowKey={(host) => host.id}
            />
            {totalRecords > records.length && (
              <p class="more">
                <a href="/hosts">{counted(totalRecords - records.length, "more host")}</a>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

export function OverviewScreen() {
  const summary = useContext(SummaryContext);
  const total = summary?.data.value?.status.reduce((sum, item) => sum + item.data, 0);
  return (
    <Page title="Overview">
      {total === 0 ? (
        <Welcome />
      ) : (
        <>
          <HostCounts />
          <Problems />
          <Histogram />
          <WorstHosts />
        </>
      )}
    </Page>
  );
}
