import { useSignal } from "@preact/signals";
import { useMuster } from "../state/muster.ts";
import { fromLocalInput, toLocalInput } from "../text/format.ts";
import { Field } from "../ui/form.tsx";
import { CHARTS } from "./charts.texts.ts";
import { type TimeSpan, zoomTo } from "./range.ts";

/** A time range of one's own, from one date to another. */
export function CustomRange({ span }: { span: TimeSpan }) {
  const { router } = useMuster();
  const wrong = useSignal(false);
  const show = (values: FormData) => {
    const [from, to] = ["from", "to"].map((name) => fromLocalInput(String(values.get(name) ?? "")));
    wrong.value = from === null || to === null || from === undefined || to === undefined || from >= to;
    if (!wrong.peek() && from && to) zoomTo(router, from, to);
  };
  return (
    <details class="custom-range">
      <summary>{CHARTS.custom}</summary>
      <form
        key={`${span.from} ${span.to}`}
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          show(new FormData(event.currentTarget));
        }}
      >
        <Field
          label={CHARTS.from}
          name="from"
          type="datetime-local"
          defaultValue={toLocalInput(span.from)}
          required
        />
        <Field
          label={CHARTS.until}
          name="to"
          type="datetime-local"
          defaultValue={toLocalInput(span.to)}
          required
          {...(wrong.value && { error: CHARTS.wrongSpan })}
        />
        <button type="submit">{CHARTS.show}</button>
      </form>
    </details>
  );
}
