import type { ComponentChildren } from "preact";
import { ErrorMessage, Loading } from "../ui/states.tsx";
import type { References } from "./references.ts";

/**
 * Shows what names records by their references once those are known: until then, a group that exists would be called
 * deleted.
 */
export function Referring({ to, children }: { to: References; children: ComponentChildren }) {
  if (to.loaded) return <>{children}</>;
  return to.error ? <ErrorMessage error={to.error} retry={to.retry} /> : <Loading />;
}
