import { render } from "preact";
import { App } from "./app.tsx";
import { makeInstallable } from "./installed/install.ts";
import { createMuster, MusterContext } from "./state/muster.ts";
import { watchPresses } from "./state/release.ts";
import { declareTypeface } from "./state/typeface.ts";
import { unfoldInvalid } from "./ui/unfold-invalid.ts";
import { showTurns } from "./ui/visible-turns.ts";

declareTypeface();
showTurns();
watchPresses();
const muster = createMuster();
muster.theme.restore();
muster.router.listen();
makeInstallable();
unfoldInvalid();

// Relative times advance every second while the page is visible.
setInterval(() => {
  if (document.hidden) return;
  muster.present.value = Math.floor(Date.now() / 1000) + muster.api.connection.peek().clockOffset;
}, 1000);

render(
  <MusterContext.Provider value={muster}>
    <App />
  </MusterContext.Provider>,
  document.body,
);
