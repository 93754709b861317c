import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useMuster } from "../state/muster.ts";
import { fromLocalInput } from "../text/format.ts";
import { DateRange } from "../ui/date-range.tsx";
import { textOf } from "../ui/form-values.ts";
import { CHARTS } from "./charts.texts.ts";
import { type ChartWindow, zoomTo } from "./range.ts";

/** A custom time range, from one date to another. */
export function CustomRange({ from, to, range }: ChartWindow) {
  const { router } = useMuster();
  const isOpen = useSignal(false);
  // The span of a range moves with time, which would overwrite what is being typed.
  const span = useMemo(() => ({ from, to }), [isOpen.value, range ?? `${from} ${to}`]);
  const show = (values: FormData) => {
    const start = fromLocalInput(textOf(values, "from"), span.from);
    const end = fromLocalInput(textOf(values, "to"), span.to);
    if (start !== null && end !== null) zoomTo(router, start, end);
  };
  return (
    <details
      class="custom-range"
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>{CHARTS.custom}</summary>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          show(new FormData(event.currentTarget));
        }}
      >
        <DateRange from={span.from} until={span.to} required />
        <button type="submit">{CHARTS.show}</button>
      </form>
    </details>
  );
}
