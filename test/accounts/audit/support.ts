import { TestApp, USER_PASSWORD } from "../../support/app.ts";

export interface Entry {
  operation: string;
  uname: string;
  via: string;
  subject: string;
  subjectid: string;
  subjectname: string;
  details: unknown;
}

export const HOST = { id: 1, hostname: "host-1", agentuser: "admin", agentpassword: "monit" };
export const USER = {
  uname: "user",
  fullname: "A User",
  password: USER_PASSWORD,
  oldpassword: USER_PASSWORD,
};

/** What the administrator did. */
const byAdmin = { uname: "admin", via: "login" };
export const entry = (operation: string, subject: string, id: string, name: string, details = {}): Entry => ({
  ...byAdmin,
  operation,
  subject,
  subjectid: id,
  subjectname: name,
  details,
});

/** An app with one host for each test, and an empty log. */
export class AuditScene {
  app = new TestApp();
  admin = this.app.client();

  async setUp(): Promise<void> {
    this.app = new TestApp();
    this.admin = await this.app.admin();
    await this.app.report({ services: [{ name: "web" }] });
    this.clear();
  }

  clear(): void {
    this.app.db.$client.run("delete from audit");
  }

  /** The entries since the last look, oldest first. */
  entries(): Entry[] {
    const { records } = this.app.muster.audit.list({ results: 1000, startindex: 0 });
    this.clear();
    return records.reverse().map(({ operation, uname, via, subject, subjectid, subjectname, details }) => ({
      operation,
      uname,
      via,
      subject,
      subjectid,
      subjectname,
      details,
    }));
  }
}
