import { useReferences } from "../alerting/references.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { Page } from "../ui/page.tsx";
import { ErrorMessage, Loaded } from "../ui/states.tsx";
import { LimitForm } from "./limit-form.tsx";
import { LIMITS } from "./limits.tsx";
import { newLimit } from "./suggestions.tsx";
import type { Limit } from "./types.ts";

type FormProps = Omit<Parameters<typeof LimitForm>[0], "limit" | "id">;

function Existing({ id, ...rest }: FormProps & { id: number }) {
  const limit = useResource<Limit>("/limits/get", { id });
  return <Loaded from={limit}>{(data) => <LimitForm {...rest} id={id} limit={data} />}</Loaded>;
}

/** The page of one limit, new or existing. */
export function LimitScreen() {
  const { router } = useMuster();
  const notify = useNotify();
  const references = useReferences();
  const id = router.address.value.query.get("id");
  const rest = {
    references,
    onSaved: () => {
      notify("Limit saved");
      router.go(LIMITS);
    },
    onCancel: () => router.go(LIMITS),
  };
  return (
    <Page title={id === null ? "New limit" : "Limit"} breadcrumbs={[["Limits", LIMITS]]}>
      {references.error && <ErrorMessage error={references.error} />}
      {references.loaded &&
        (id === null ? (
          <LimitForm {...rest} id={null} limit={newLimit("disk", { warning: 90 })} />
        ) : (
          <Existing key={id} {...rest} id={Number(id)} />
        ))}
    </Page>
  );
}
