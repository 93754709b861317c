import { useSignal } from "@preact/signals";
import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useId, useRef } from "preact/hooks";

interface TabsProps {
  label: string;
  tabs: readonly { name: string; content: ComponentChildren }[];
}

/** Tabs, one of which is open. Arrow keys move between them. */
export function Tabs({ label, tabs }: TabsProps) {
  const id = useId();
  const chosen = useSignal(0);
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    chosen.value = (chosen.peek() + step + tabs.length) % tabs.length;
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[chosen.peek()]?.focus();
  };
  return (
    <div class="tabs">
      <div ref={list} class="tab-list" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map((tab, i) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-tab-${i}`}
            aria-selected={chosen.value === i}
            aria-controls={`${id}-panel`}
            tabIndex={chosen.value === i ? 0 : -1}
            onClick={() => {
              chosen.value = i;
            }}
          >
            {tab.name}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${chosen.value}`}>
        {tabs[chosen.value]?.content}
      </div>
    </div>
  );
}
