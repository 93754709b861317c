import { VERSION } from "../../src/platform/version.ts";
import { useMuster } from "../state/muster.ts";
import { Facts } from "../ui/facts.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Nodes } from "./nodes.tsx";
import { ABOUT } from "./settings.texts.ts";

/** About Muster, with links to the description of its API. */
export function AboutScreen() {
  const { session } = useMuster();
  return (
    <Page title={ABOUT.title}>
      <p>{ABOUT.what}</p>
      <Section title={ABOUT.installation}>
        <Facts
          facts={[
            [ABOUT.version, VERSION],
            [ABOUT.licence, ABOUT.mit],
            [ABOUT.api, ABOUT.apiVersion],
          ]}
        />
      </Section>
      {session.isAdmin && <Nodes />}
      <p>
        <a href="/docs">{ABOUT.documentation}</a>
      </p>
      <Section title={ABOUT.api}>
        <p>
          {ABOUT.apiHint} <a href="/account">{ABOUT.makeToken}</a>
        </p>
        <ul class="links">
          <li>
            <a href="/api">{ABOUT.reference}</a>
          </li>
          <li>
            <a href="/api/1/openapi.json">{ABOUT.openApi}</a>
          </li>
        </ul>
      </Section>
      <Section title={ABOUT.credits}>
        <p>{ABOUT.creditsText}</p>
        <ul class="links">
          <li>
            <a href="/licenses/geist-OFL-1.1.txt">{ABOUT.typefaceLicence}</a>
          </li>
        </ul>
      </Section>
    </Page>
  );
}
