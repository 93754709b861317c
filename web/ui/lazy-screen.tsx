import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import { ErrorMessage, Loading } from "./states.tsx";
import { UI } from "./ui.texts.ts";

interface LazyScreenProps<P> {
  load: () => Promise<ComponentType<P>>;
  /** What the screen is given. */
  props?: P;
}

/** A screen whose code is loaded when it is first opened, which keeps the first load of the page small. */
export function LazyScreen<P extends object>({ load, props }: LazyScreenProps<P>) {
  // Wrapped in an object, because a bare function could be mistaken for one that computes the state.
  const loaded = useSignal<{ Screen: ComponentType<P> } | null>(null);
  const failed = useSignal(false);
  useEffect(() => {
    load().then(
      (Screen) => {
        loaded.value = { Screen };
      },
      (error: unknown) => {
        console.error(error);
        failed.value = true;
      },
    );
  }, [load]);
  if (failed.value) {
    const error = new ApiError(0, "unreachable", UI.notLoaded);
    // The whole page is reloaded: after an upgrade, an open page asks for files of the previous version.
    return <ErrorMessage error={error} retry={() => location.reload()} />;
  }
  if (!loaded.value) return <Loading />;
  const { Screen } = loaded.value;
  return <Screen {...((props ?? {}) as P)} />;
}
