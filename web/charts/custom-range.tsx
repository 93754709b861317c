import { useMuster } from "../state/muster.ts";
import { fromLocalInput } from "../text/format.ts";
import { DateRange } from "../ui/date-range.tsx";
import { textOf } from "../ui/form.tsx";
import { CHARTS } from "./charts.texts.ts";
import { type TimeSpan, zoomTo } from "./range.ts";

/** A custom time range, from one date to another. */
export function CustomRange({ span }: { span: TimeSpan }) {
  const { router } = useMuster();
  const show = (values: FormData) => {
    const [from, to] = [fromLocalInput(textOf(values, "from")), fromLocalInput(textOf(values, "to"))];
    if (from !== null && to !== null) zoomTo(router, from, to);
  };
  return (
    <details class="custom-range">
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
