/** The dashboard of docs/grafana, as tests read it. */
import dashboard from "../../../docs/grafana/muster-fleet.json";

export { dashboard };

/** Every expression of a panel. */
export const EXPRESSIONS: readonly string[] = dashboard.panels.flatMap(({ targets }) =>
  targets.map(({ expr }) => expr),
);

/** Every question of a variable for its values. */
export const QUESTIONS: readonly string[] = dashboard.templating.list.flatMap(({ type, query }) =>
  type === "query" && typeof query === "object" ? query.query : [],
);
