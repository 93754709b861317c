/** Anyone with the collector's password can make messages costly: Muster must still do everything else. */
import { expect, test } from "bun:test";
import { costlyMessages, post } from "../bench/costly.ts";
import { eventually, Muster, temporaryFolder } from "./support.ts";

test("costly messages are answered, and dead hosts are noticed meanwhile", async () => {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  const messages = costlyMessages();
  expect((await muster.report({ id: "dead", hostname: "dead", poll: 1 })).status).toBe(200);

  let isNoticed = false;
  const unexpected: number[] = [];
  let read = 0;
  const attack = async () => {
    while (!isNoticed || read === 0)
      for (const message of messages) {
        const replies = await Promise.all(Array.from({ length: 20 }, () => post(muster, message)));
        const statuses = replies.map(({ status }) => status);
        // Too many came at once, or this one took longer than Muster gives a message to be read.
        unexpected.push(...statuses.filter((status) => status !== message.status && status !== 503));
        read += statuses.filter((status) => status === message.status).length;
      }
  };
  const notice = async () => {
    const admin = await muster.admin();
    await eventually("the dead host is noticed", async () => {
      const { json } = await admin.get("/api/1/status/hosts/list");
      return json.records.some(
        (host: { hostname: string; led: number }) => host.hostname === "dead" && host.led === 0,
      );
    });
    isNoticed = true;
  };
  await Promise.all([attack(), notice()]);
  expect(unexpected).toEqual([]);
  expect((await muster.report({ id: "well" })).status).toBe(200);
  expect(await muster.stop()).toBe(0);
});
