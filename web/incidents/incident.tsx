import type { IncidentDetail } from "../api/types.ts";
import { problemOf } from "../events/problem-actions.tsx";
import { failedName } from "../events/problem-list.tsx";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { match } from "../state/router.ts";
import { Page } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { IncidentBody } from "./incident-body.tsx";
import { INCIDENT, INCIDENTS } from "./incidents.texts.ts";

const LIVE_SECONDS = 5;

function IncidentScreen({ id }: { id: string }) {
  const detail = useResource<IncidentDetail>("/incidents/get", { id }, { every: LIVE_SECONDS, still: true });
  const incident = detail.data.value;
  return (
    <Page
      title={
        incident ? INCIDENT.titleOf(failedName(problemOf(incident)), incident.hostname) : INCIDENT.unnamed
      }
      heading={incident && failedName(problemOf(incident))}
      breadcrumbs={[
        [INCIDENTS.title, "/incidents"],
        ...(incident ? [[incident.hostname, `/hosts/${incident.hostid}`] as const] : []),
      ]}
    >
      <Loaded from={detail}>
        {(data) => <IncidentBody incident={data} onDone={() => detail.refresh()} />}
      </Loaded>
    </Page>
  );
}

/** The incident of the error event that the address names. */
export function IncidentOfAddress() {
  const { router } = useMuster();
  const { id = "" } = match("/incidents/:id", router.address.value.path) ?? {};
  return <IncidentScreen key={id} id={id} />;
}
