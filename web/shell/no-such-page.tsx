import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";

export function NoSuchPage() {
  return (
    <Page title="Page not found">
      <Empty>
        The address is wrong, or it is for administrators. <a href="/">To the overview</a>
      </Empty>
    </Page>
  );
}
