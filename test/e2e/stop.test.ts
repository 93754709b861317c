/** An orderly stop. */
import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { agentXml } from "../support/agent-messages.ts";
import { COLLECTOR_PASSWORD } from "../support/passwords.ts";
import { executableAlone } from "./alone.ts";
import { eventually, Muster, PASSWORDS } from "./support.ts";

const emptyFolder = executableAlone();

/**
 * A message on its way: the first half is sent, `finish` sends the other and gives the status of the answer. `closed`
 * resolves with the connection.
 */
async function halfSent(muster: Muster, hostname: string) {
  const body = agentXml({ hostname });
  const login = Buffer.from(`monit:${COLLECTOR_PASSWORD}`).toString("base64");
  const socket = connect(muster.port, "127.0.0.1");
  const answer = new Promise<string>((resolve, reject) => {
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    socket.once("close", () => resolve(text));
    socket.once("error", reject);
  });
  answer.catch(() => "looked at in finish");
  const head = [
    "POST /collector HTTP/1.1",
    `Host: 127.0.0.1:${muster.port}`,
    `Authorization: Basic ${login}`,
    "Content-Type: text/xml",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  await new Promise<void>((resolve) => {
    socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 100)}`, () => resolve());
  });
  // Accepted and read by the server once it answers a request that was sent later.
  await muster.client().get("/healthz");
  const finish = async () => {
    socket.write(body.slice(100));
    return (await answer).split("\r\n")[0];
  };
  const closed = answer.catch(() => "");
  return { finish, closed, [Symbol.dispose]: () => void socket.destroy() };
}

describe("the stop", () => {
  test("lets a request that is under way finish, and takes no new one", async () => {
    using folder = emptyFolder();
    await using muster = await Muster.start(folder);
    using message = await halfSent(muster, "in-flight.example.org");
    const stopped = muster.stop();
    await eventually("it stops", () => muster.output.includes("muster is stopping"));
    expect(muster.client().get("/healthz")).rejects.toThrow();
    expect(await message.finish()).toBe("HTTP/1.1 200 OK");
    expect(await stopped).toBe(0);

    await using again = await Muster.start(folder);
    const list = await (await again.admin()).get("/api/1/status/hosts/list");
    expect(list.json.records).toMatchObject([{ hostname: "in-flight.example.org" }]);
  });

  test("cuts a request that never ends, but first who keeps a connection without one", async () => {
    using folder = emptyFolder();
    await using muster = await Muster.start({ ...folder, env: PASSWORDS });
    using finishing = await halfSent(muster, "finishes.example.org");
    using endless = await halfSent(muster, "never.example.org");
    const closed: string[] = [];
    void finishing.closed.then(() => closed.push("finishing"));
    void endless.closed.then(() => closed.push("endless"));
    const stopped = muster.stop();
    await eventually("it stops", () => muster.output.includes("muster is stopping"));
    expect(await finishing.finish()).toBe("HTTP/1.1 200 OK");
    expect(await stopped).toBe(0);
    await endless.closed;
    expect(closed).toEqual(["finishing", "endless"]);
  });
});
