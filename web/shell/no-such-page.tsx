import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { SHELL } from "./shell.texts.ts";

/** The page at an address that none of the screens has. */
export function NoSuchPage() {
  return (
    <Page title={SHELL.notFound}>
      <Empty>
        {SHELL.notFoundHint} <a href="/">{SHELL.toOverview}</a>
      </Empty>
    </Page>
  );
}
