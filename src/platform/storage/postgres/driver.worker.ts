/** Entry of the driver thread, which holds the connections to PostgreSQL. */

import type { ConnectionReport, DriverRequest } from "./driver-protocol.ts";
import { DriverSession } from "./driver-session.ts";

declare const self: Worker;

const sessions = new Map<number, DriverSession>();

self.onmessage = ({ data }: MessageEvent<DriverRequest>) => {
  if (data.kind === "open") {
    const session = new DriverSession(data, (trouble) => {
      const report: ConnectionReport = { session: data.session, trouble };
      self.postMessage(report);
    });
    sessions.set(data.session, session);
    void session.open();
    return;
  }
  const session = sessions.get(data.session);
  if (data.kind === "batch") void session?.run(data);
  else if (data.kind === "reset") session?.reset();
  else {
    sessions.delete(data.session);
    void session?.close();
  }
};
