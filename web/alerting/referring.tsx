import type { ComponentChildren } from "preact";
import { ErrorMessage, Loading } from "../ui/states.tsx";
import type { References } from "./references.ts";

/**
 * Shows its children once the names of groups, channels and the like have been read: before that, they would call a
 * group that exists deleted.
 */
export function Referring({ to, children }: { to: References; children: ComponentChildren }) {
  if (to.loaded) return <>{children}</>;
  return to.error ? <ErrorMessage error={to.error} retry={to.retry} /> : <Loading />;
}
