import type { FleetTop, HostGroups } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { GroupFilter } from "../ui/group-filter.tsx";
import { NothingOfHosts } from "../ui/no-hosts.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Select } from "../ui/select.tsx";
import { Loaded } from "../ui/states.tsx";
import { COUNTS, fleetChoice } from "./choice.ts";
import { CompareChart } from "./compare-chart.tsx";
import { Distribution } from "./distribution.tsx";
import { FarTable } from "./far-table.tsx";
import { FLEET } from "./fleet.texts.ts";
import { comparedText, MAX_COMPARED, METRICS } from "./metrics.ts";
import { SavedViewList } from "./saved-views.tsx";
import { TopList } from "./top-list.tsx";

const LIVE_SECONDS = 30;

/** What is ranked, of which hosts, in which order, and how many are shown. */
function Choices() {
  const { router } = useMuster();
  const { metric, group, order, count } = fleetChoice(router.address.value.query);
  const offered = METRICS.includes(metric) ? METRICS : [metric, ...METRICS];
  const counts = [...new Set([...COUNTS, count])].toSorted((a, b) => a - b);
  const set = (name: string) => (value: string) => router.setQuery({ [name]: value });
  return (
    <search class="filters">
      <Select
        label={FLEET.number}
        name="number"
        value={metric.key}
        options={offered.map(({ key, text }) => [key, text] as const)}
        onChange={set("number")}
      />
      <GroupFilter label={FLEET.group} value={group} onChange={set("group")} />
      <Select
        label={FLEET.order}
        name="order"
        value={order}
        options={[
          ["desc", FLEET.highest],
          ["asc", FLEET.lowest],
        ]}
        onChange={set("order")}
      />
      <Select
        label={FLEET.shown}
        name="count"
        value={String(count)}
        options={counts.map((hosts) => [String(hosts), String(hosts)] as const)}
        onChange={set("count")}
      />
    </search>
  );
}

/** Hosts ranked by one metric: the top of the ranking, the distribution, the outliers, and a chart of some hosts. */
export function FleetScreen() {
  const { router } = useMuster();
  const { metric, group, order, count, compared } = fleetChoice(router.address.value.query);
  const groups = useResource<HostGroups>("/status/hostgroups/list");
  const top = useResource<FleetTop>(
    "/reports/history/top",
    { type: metric.types, descriptor: metric.descriptor, hostgroupid: group, order, results: count },
    { every: LIVE_SECONDS, keepPrevious: true },
  );
  const type = metric.types[0] ?? 0;
  const comparedCount = compared.hosts.length + compared.services.length;
  const compare = (id: number) => {
    const hosts = compared.hosts.includes(id)
      ? compared.hosts.filter((hostId) => hostId !== id)
      : [...compared.hosts, id];
    router.setQuery({ compare: comparedText({ ...compared, hosts }) });
  };
  return (
    <Page title={FLEET.title}>
      <Loaded from={groups}>
        {({ records }) => (
          <>
            <SavedViewList />
            <Choices />
            <Loaded from={top}>
              {(data) =>
                data.totalRecords === 0 ? (
                  <NothingOfHosts none={FLEET.none} />
                ) : (
                  <>
                    <Section
                      title={metric.text}
                      aside={<span class="muted">{FLEET.topOf(data.records.length, data.totalRecords)}</span>}
                    >
                      <TopList
                        metric={metric}
                        rows={data.records}
                        choice={{
                          hostIds: compared.hosts,
                          isFull: comparedCount >= MAX_COMPARED,
                          onToggle: compare,
                        }}
                      />
                    </Section>
                    <Section title={FLEET.compared}>
                      {comparedCount === 0 ? (
                        <p class="hint">{FLEET.comparedHint}</p>
                      ) : (
                        <CompareChart metric={metric} compared={compared} />
                      )}
                    </Section>
                    <Section title={FLEET.distribution}>
                      <Distribution top={data} type={type} />
                    </Section>
                    <Section title={FLEET.far}>
                      <FarTable rows={data.far} groups={records} type={type} />
                      <p class="hint">{FLEET.farHint}</p>
                    </Section>
                  </>
                )
              }
            </Loaded>
          </>
        )}
      </Loaded>
    </Page>
  );
}
