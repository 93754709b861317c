import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";

export function NoSuchPage() {
  return (
    <Page title="Page not found">
      <Empty>
        The address is wrong, or you may not open it. <a href="/">Go to the overview</a>
      </Empty>
    </Page>
  );
}
