import { VERSION } from "../../src/platform/version.ts";
import { Facts } from "../ui/facts.tsx";
import { Page, Section } from "../ui/page.tsx";

/** About Muster, with links to the description of its API. */
export function AboutScreen() {
  return (
    <Page title="About Muster">
      <p>
        Muster collects what Monit agents report, keeps it, and shows it: hosts, services, events, uptime and
        every number over time.
      </p>
      <Section title="This installation">
        <Facts
          facts={[
            ["Version", VERSION],
            ["Licence", "MIT"],
            ["API", "version 1, below /api/1"],
          ]}
        />
      </Section>
      <Section title="API">
        <p>
          Everything that these pages show and do, programs can do as well. Give them an API token of their
          own: <a href="/account">your account</a> makes them.
        </p>
        <ul class="links">
          <li>
            <a href="/api">Reference of all operations</a>
          </li>
          <li>
            <a href="/api/1/openapi.json">The same as an OpenAPI document</a>, for generators of clients
          </li>
        </ul>
      </Section>
      <Section title="Credits">
        <p>
          Built with Bun, Hono, Drizzle, Valibot, Preact and uPlot, under the MIT licence, and SQLite, in the
          public domain. Icons after Lucide, under the ISC licence. Monit and M/Monit are trademarks of
          Tildeslash Ltd, which this project is not affiliated with.
        </p>
      </Section>
    </Page>
  );
}
