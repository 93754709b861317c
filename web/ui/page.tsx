import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { useMuster } from "../state/muster.ts";
import { useOverallStatus } from "./overall-status.ts";
import { ListContext } from "./states.tsx";
import { UI } from "./ui.texts.ts";

interface PageProps {
  title: string;
  /** Shown as the heading in place of the title. */
  heading?: ComponentChildren;
  /** Links to the pages above this one, of which the first is the list of its record. */
  breadcrumbs?: readonly (readonly [text: string, href: string])[];
  /** Controls beside the heading. */
  aside?: ComponentChildren;
  children: ComponentChildren;
}

/**
 * Marks the body of a page as shown as soon as nothing in it is loading. Until then it is hidden (layout.css), so that
 * nothing moves. It is never hidden again: hidden content loses the focus and typed text.
 */
function useShownOnce() {
  const { router } = useMuster();
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const body = ref.current;
    if (!body) return;
    const look = () => {
      if (body.querySelector(".loading")) return;
      body.setAttribute("data-shown", "");
      router.restoreScroll();
      observer.disconnect();
    };
    const observer = new MutationObserver(look);
    observer.observe(body, { childList: true, subtree: true });
    look();
    return () => observer.disconnect();
  }, []);
  return ref;
}

/**
 * A screen with its heading and the browser's title. The heading gets the focus when the screen opens, unless that is in
 * the clock, whose steps open screens behind it.
 */
export function Page({ title, heading, breadcrumbs, aside, children }: PageProps) {
  const ref = useRef<HTMLHeadingElement>(null);
  const body = useShownOnce();
  const { mark } = useOverallStatus();
  useEffect(() => {
    document.title = `${mark}${title} - Muster`;
  }, [title, mark]);
  useEffect(() => {
    if (!document.activeElement?.closest("[popover]")) ref.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <header class="page-head">
        <div class="page-name">
          {breadcrumbs && (
            <nav class="breadcrumbs" aria-label={UI.youAreHere}>
              {breadcrumbs.map(([text, href]) => (
                <a key={href} href={href}>
                  {text}
                </a>
              ))}
            </nav>
          )}
          <h1 ref={ref} tabIndex={-1}>
            {heading ?? title}
          </h1>
        </div>
        {aside && <div class="page-aside">{aside}</div>}
      </header>
      <div ref={body} class="page-body">
        <ListContext.Provider value={breadcrumbs?.[0] ?? null}>{children}</ListContext.Provider>
      </div>
    </>
  );
}

interface SectionProps {
  title: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
}

/** A section of a screen under a heading. */
export function Section({ title, aside, children }: SectionProps) {
  return (
    <section class="section">
      <header class="section-head">
        <h2>{title}</h2>
        {aside && <div class="section-aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}
