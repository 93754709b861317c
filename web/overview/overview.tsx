import { useContext, useEffect } from "preact/hooks";
import { MutesBanner } from "../alerting/muted.tsx";
import { NobodyNotified } from "../alerting/nobody-notified.tsx";
import { OnCallLine } from "../alerting/on-call-now.tsx";
import type { EventList, HostStatusList } from "../api/types.ts";
import { Histogram } from "../events/histogram.tsx";
import { ProblemActions } from "../events/problem-actions.tsx";
import { ProblemList } from "../events/problem-list.tsx";
import { FullSoon } from "../forecasts/full-soon.tsx";
import { HostCounts } from "../hosts/host-counts.tsx";
import { inOrder } from "../hosts/host-order.ts";
import { HostTable } from "../hosts/host-table.tsx";
import { HOSTS } from "../hosts/hosts.texts.ts";
import { useProblemsByHost } from "../hosts/use-problems.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { LazyScreen } from "../ui/lazy-screen.tsx";
import { NoHosts } from "../ui/no-hosts.tsx";
import { SummaryContext } from "../ui/overall-status.ts";
import { Page, Section } from "../ui/page.tsx";
import { Loaded, Unread } from "../ui/states.tsx";
import { OVERVIEW } from "./overview.texts.ts";

const HOSTS_SHOWN = 15;
const PROBLEMS_SHOWN = 20;
const LIVE_SECONDS = 5;

const welcome = async () => (await import("../collector/welcome.tsx")).Welcome;

/** Says that there are no problems, or only dismissed ones, which are still failures. */
function NoProblems() {
  const problems = useResource<EventList>(
    "/reports/events/list",
    { active: 1, results: 1 },
    { every: LIVE_SECONDS },
  );
  const dismissed = problems.data.value?.totalRecords;
  if (dismissed === undefined) return <p class="calm">{OVERVIEW.noneOpen}</p>;
  if (dismissed === 0) return <p class="calm">{OVERVIEW.noProblems}</p>;
  return (
    <p class="calm">
      {OVERVIEW.noneOpen} <a href="/events?active=1">{OVERVIEW.dismissedProblems(dismissed)}</a>
    </p>
  );
}

/** Active errors that nobody has dismissed. */
function Problems() {
  const problems = useResource<EventList>(
    "/reports/events/list",
    { active: 2, results: PROBLEMS_SHOWN },
    { every: LIVE_SECONDS, still: true },
  );
  return (
    <Section title={OVERVIEW.problems} aside={<a href="/events?active=2">{OVERVIEW.allProblems}</a>}>
      <Loaded from={problems}>
        {({ records, totalRecords }) =>
          totalRecords === 0 ? (
            <NoProblems />
          ) : (
            <>
              <ProblemList
                events={records}
                actions={(event) => <ProblemActions event={event} onDone={() => void problems.refresh()} />}
              />
              {totalRecords > records.length && (
                <p class="more">
                  <a href="/events?active=2">{OVERVIEW.moreProblems(totalRecords - records.length)}</a>
                </p>
              )}
            </>
          )
        }
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
  const { byHost, problems } = useProblemsByHost();
  return (
    <Section title={OVERVIEW.hosts} aside={<a href="/hosts">{OVERVIEW.allHosts}</a>}>
      <Unread from={problems} what={HOSTS.allProblems} />
      <Loaded from={hosts}>
        {({ records, totalRecords }) =>
          totalRecords === 0 ? (
            <NoHosts none={HOSTS.none} />
          ) : (
            <>
              <HostTable
                caption={OVERVIEW.hosts}
                rows={inOrder(records, { key: "led", dir: "asc" }).map((host) => ({ host, section: 0 }))}
                problems={byHost}
              />
              {totalRecords > records.length && (
                <p class="more">
                  <a href="/hosts">{OVERVIEW.moreHosts(totalRecords - records.length)}</a>
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

/**
 * Whether the first steps are shown in place of the overview of now: while there is no host, and to an administrator who
 * began them until they are finished or left.
 */
function useFirstSteps(hosts: number | undefined): boolean {
  const { at, session, view } = useMuster();
  const isNone = hosts === 0 && at.value === null;
  const { isAdmin } = session;
  const isBegun = isNone && isAdmin;
  useEffect(() => {
    if (isBegun) view.firstSteps.value = true;
  }, [isBegun]);
  return isNone || (isAdmin && view.firstSteps.value);
}

/** The start page: what needs attention, or first steps while there are no hosts. */
export function OverviewScreen() {
  const summary = useContext(SummaryContext);
  const total = summary?.data.value?.status.reduce((sum, item) => sum + item.data, 0);
  const isWelcome = useFirstSteps(total);
  return (
    <Page title={OVERVIEW.title}>
      {isWelcome ? (
        <LazyScreen load={welcome} props={{ hasHosts: total !== 0 }} />
      ) : total === 0 ? (
        <NoHosts none={HOSTS.none} />
      ) : (
        <>
          <MutesBanner />
          <OnCallLine />
          <HostCounts />
          <Problems />
          <FullSoon />
          <WorstHosts />
          <Histogram />
          <NobodyNotified />
        </>
      )}
    </Page>
  );
}
