import { ErrorMessage } from "../ui/states.tsx";
import { GLANCE } from "./glance.texts.ts";
import type { useGlance } from "./use-glance.ts";

/** Says that the last day of hosts could not be read. While the service is unreachable, the page's banner says so. */
export function UnreadGlance({ glances: { error, retry } }: { glances: ReturnType<typeof useGlance> }) {
  if (!error || error.unreachable) return null;
  return <ErrorMessage error={error} what={GLANCE.what} retry={retry} />;
}
