import type { Signal } from "@preact/signals";
import { Icon, type IconName } from "./icon.tsx";

/** A button that is on or off. Only its icon is visible. */
export function Toggle({ on, icon, label }: { on: Signal<boolean>; icon: IconName; label: string }) {
  return (
    <button
      type="button"
      class="toggle"
      aria-pressed={on.value}
      title={label}
      onClick={() => {
        on.value = !on.peek();
      }}
    >
      <Icon name={icon} />
      <span class="sr-only">{label}</span>
    </button>
  );
}
