import type { ComponentChildren } from "preact";
import { NoSuchPage } from "../shell/no-such-page.tsx";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { isId } from "../state/router.ts";
import { Page } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { type References, useReferences } from "./references.ts";
import { Referring } from "./referring.tsx";

/** What the form of an `EditScreen` is given besides the record that it edits. */
export interface EditFormProps {
  /** Null for a record that does not exist yet. */
  id: number | null;
  references: References;
  onSaved: () => void;
  onCancel: () => void;
}

interface EditScreenProps<T> {
  /** The list that the page belongs to and returns to. */
  list: readonly [name: string, path: string];
  texts: { noun: string; creating: string; saved: string };
  /** Path of the API that gets an existing record by its id. */
  source: string;
  /** The form; its record is null for a new one. */
  form: (existing: T | null, props: EditFormProps) => ComponentChildren;
}

function Existing<T>({
  source,
  form,
  ...props
}: Pick<EditScreenProps<T>, "source" | "form"> & EditFormProps) {
  // With a reply from the cache, the form would show old values, and saving would undo what others have changed since.
  const existing = useResource<T>(source, { id: props.id }, { cached: false });
  return <Loaded from={existing}>{(data) => form(data, props)}</Loaded>;
}

/** The page of one rule or limit, new or existing, whose `id` is in the address. */
export function EditScreen<T>({ list, texts, source, form }: EditScreenProps<T>) {
  const { router } = useMuster();
  const notify = useNotify();
  const references = useReferences();
  const id = router.address.value.query.get("id");
  if (id !== null && !isId(id)) return <NoSuchPage />;
  const leave = () => router.go(list[1]);
  const props = {
    id: id === null ? null : Number(id),
    references,
    onSaved: () => {
      notify(texts.saved);
      leave();
    },
    onCancel: leave,
  };
  return (
    <Page title={id === null ? texts.creating : texts.noun} breadcrumbs={[list]}>
      <Referring to={references}>
        {id === null ? form(null, props) : <Existing key={id} source={source} form={form} {...props} />}
      </Referring>
    </Page>
  );
}
