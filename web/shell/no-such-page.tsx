import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { SHELL } from "./shell.texts.ts";

/** Says that there is no page at the address. */
export function NoSuchPage() {
  return (
    <Page title={SHELL.notFound}>
      <Empty>
        {SHELL.notFoundHint} <a href="/">{SHELL.toOverview}</a>
      </Empty>
    </Page>
  );
}
