/** Outgoing requests: where they may go, where not, and what is known when they break. */
import { describe, expect, test } from "bun:test";
import { EgressError, type EgressRequest } from "../../../src/platform/egress/egress.ts";
import { NetworkEgress, type NetworkOptions } from "../../../src/platform/egress/network-egress.ts";
import { type AddressReach, forbiddenReason } from "../../../src/platform/net/addresses.ts";
import { Receiver, Sockets, testEgress } from "../../alerting/channels/support.ts";
import { TestClock } from "../../support/clock.ts";
import { HandTimers } from "../../support/hand-timers.ts";

const REQUEST: EgressRequest = { method: "POST", headers: { "Content-Type": "text/plain" }, body: "hello" };

/** The error with which a request ends. */
async function errorOf(
  url: string,
  options: Partial<NetworkOptions> = {},
  request = REQUEST,
): Promise<EgressError> {
  try {
    const { status } = await testEgress(options).request(url, request);
    throw new Error(`it was answered with ${status}`);
  } catch (error) {
    if (error instanceof EgressError) return error;
    throw error;
  }
}

/** A time limit that ends when the test says so. */
function limited() {
  const timers = new HandTimers();
  return { end: timers.end, options: { startTimer: timers.start, timeLimit: 7000 } };
}

describe("addresses", () => {
  const ROWS: readonly [address: string, least: AddressReach | "never"][] = [
    ["8.8.8.8", "public"],
    ["2606:4700::1111", "public"],
    ["::ffff:8.8.8.8", "public"],
    ["64:ff9b::808:808", "public"],
    ["10.1.2.3", "private"],
    ["172.31.255.255", "private"],
    ["192.168.0.1", "private"],
    ["100.64.0.1", "private"],
    ["fd12:3456::1", "private"],
    ["::ffff:10.0.0.1", "private"],
    ["2002:0a00:0001::", "private"],
    ["127.0.0.1", "loopback"],
    ["127.255.0.9", "loopback"],
    ["::1", "loopback"],
    ["0:0:0:0:0:0:0:1", "loopback"],
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:7f00:1", "loopback"],
    ["0:0:0:0:0:ffff:7f00:0001", "loopback"],
    ["::127.0.0.1", "loopback"],
    ["::ffff:0:127.0.0.1", "loopback"],
    ["64:ff9b::7f00:1", "loopback"],
    ["2002:7f00:1::", "loopback"],
    ["0.0.0.0", "never"],
    ["0.1.2.3", "never"],
    ["::", "never"],
    ["::ffff:0.0.0.0", "never"],
    ["169.254.169.254", "never"],
    ["::ffff:169.254.169.254", "never"],
    ["::ffff:a9fe:a9fe", "never"],
    ["64:ff9b::a9fe:a9fe", "never"],
    ["100.100.100.200", "never"],
    ["168.63.129.16", "never"],
    ["192.0.0.192", "never"],
    ["fe80::1", "never"],
    ["fe80::1%eth0", "never"],
    ["febf::1", "never"],
    ["fd00:ec2::254", "never"],
    ["fd00:0ec2:0:0:0:0:0:0254", "never"],
    ["fd20:ce::254", "never"],
    ["224.0.0.1", "never"],
    ["ff02::1", "never"],
    ["255.255.255.255", "never"],
    ["240.0.0.1", "never"],
    ["2001::1", "never"],
    ["localhost", "never"],
    ["", "never"],
  ];
  for (const [address, least] of ROWS)
    test(`${address || "nothing"}: ${least}`, () => {
      const reaches: AddressReach[] = ["public", "private", "loopback"];
      const open = reaches.filter((reach) => forbiddenReason(address, reach) === null);
      expect(open).toEqual(least === "never" ? [] : reaches.slice(reaches.indexOf(least)));
    });
});

describe("where it leads", () => {
  /** As people write the address of this machine, and as they should not. */
  const SPELLINGS = [
    "127.0.0.1",
    "localhost",
    "LOCALHOST",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "127.0.0.1.",
    "１２７.0.0.1",
  ];
  for (const host of SPELLINGS)
    for (const reach of ["public", "private"] as const)
      test(`http://${host} is this machine, and refused with reach ${reach}`, async () => {
        await using far = await Receiver.start();
        const error = await errorOf(`http://${host}:${far.port}/`, { reach });
        expect([error.certain, error.final, far.received.length]).toEqual([true, true, 0]);
        expect(error.message).toContain("--channel-reach loopback");
      });

  test("a name whose address is refused is refused, whatever else it is", async () => {
    for (const address of ["169.254.169.254", "fe80::1", "0.0.0.0", "::ffff:a9fe:a9fe"]) {
      const error = await errorOf("http://innocent.example/", { resolve: async () => [address] });
      expect(error.message).toBe(
        `innocent.example is ${address}, which is an address that channels never use`,
      );
      expect([error.certain, error.final]).toEqual([true, true]);
    }
  });

  test("of several addresses only those are tried that are allowed, until one answers", async () => {
    await using far = await Receiver.start();
    const resolve = async () => ["169.254.169.254", "127.0.0.2", "127.0.0.1"];
    const { status } = await testEgress({ resolve }).request(`http://far.example:${far.port}/x`, REQUEST);
    expect([status, far.only.headers.host]).toEqual([200, `far.example:${far.port}`]);
  });

  test("the address that was checked is the one that is used: the name is asked for once", async () => {
    await using far = await Receiver.start();
    let asked = 0;
    const resolve = async () => [asked++ === 0 ? "127.0.0.1" : "169.254.169.254"];
    await testEgress({ resolve }).request(`http://rebinding.example:${far.port}/`, REQUEST);
    expect([asked, far.received.length]).toEqual([1, 1]);
  });

  test("over TLS too, with the certificate of the name and not of the address", async () => {
    await using far = await Receiver.start(true);
    const resolve = async () => ["127.0.0.1"];
    const { status } = await testEgress({ resolve }).request(`https://localhost:${far.port}/`, REQUEST);
    expect([status, far.only.body]).toEqual([200, "hello"]);
    const error = await errorOf(`https://other.example:${far.port}/`, { resolve });
    expect(error.message).toMatch(/altnames|certificate/i);
    expect([error.certain, error.final, far.received.length]).toEqual([true, false, 1]);
  });

  test("a certificate of an unknown authority is refused", async () => {
    await using far = await Receiver.start(true);
    const egress = new NetworkEgress({ reach: "loopback", exec: false, clock: new TestClock() });
    const pending = egress.request(`https://localhost:${far.port}/`, REQUEST);
    await expect(pending).rejects.toThrow(/certificate/);
    expect(far.received).toEqual([]);
  });

  test("a server without TLS is called so", async () => {
    await using far = await Receiver.start();
    const { message } = await errorOf(`https://localhost:${far.port}/`);
    expect(message).toBe("localhost cannot be reached: it does not speak TLS there");
    await expect(testEgress().connect("localhost", far.port, true)).rejects.toThrow("does not speak TLS");
  });

  test("a redirect is an answer: it is not followed", async () => {
    await using far = await Receiver.start();
    await using other = await Receiver.start();
    for (const status of [301, 302, 303, 307, 308]) {
      far.answers(status, "", { Location: `${other.url}/stolen` });
      expect((await testEgress().request(far.url, REQUEST)).status).toBe(status);
    }
    expect(other.received).toEqual([]);
  });

  test("other schemes than http and https lead nowhere", async () => {
    for (const url of ["file:///etc/passwd", "ftp://127.0.0.1/", "nonsense", "javascript:1"])
      expect((await errorOf(url)).final).toBe(true);
  });

  test("texts of any language in headers arrive as UTF-8", async () => {
    await using far = await Receiver.start();
    await testEgress().request(far.url, { ...REQUEST, headers: { "X-A": "Zürich č 東京" }, body: "č" });
    expect(Buffer.from(String(far.only.headers["x-a"]), "latin1").toString("utf8")).toBe("Zürich č 東京");
    expect(far.only.body).toBe("č");
  });

  test("a login in the address is sent, unless a header has another one", async () => {
    await using far = await Receiver.start();
    const url = far.url.replace("//", "//ping:p%40ss%zz@");
    await testEgress().request(url, REQUEST);
    await testEgress().request(url, { ...REQUEST, headers: { Authorization: "Bearer x" } });
    expect(far.received.map(({ headers }) => headers.authorization)).toEqual([
      `Basic ${Buffer.from("ping:p@ss%zz").toString("base64")}`,
      "Bearer x",
    ]);
  });

  test("nothing of a header or an address splits the request", async () => {
    await using far = await Receiver.start();
    const headers = { "X-A": "ab\u010d\u010aInjected: yes" };
    await testEgress().request(`${far.url}/a b\r\nInjected: yes?č=\u010a`, { ...REQUEST, headers });
    expect(far.only.headers.injected).toBeUndefined();
    expect(far.only.path).not.toContain(" ");
  });
});

describe("the facts when it breaks", () => {
  test("a name that is not found: nothing was sent, later it may be", async () => {
    const error = await errorOf("http://nowhere.invalid/path?token=1", {
      resolve: () => Promise.reject(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" })),
    });
    expect(error.message).toBe("nowhere.invalid cannot be reached: its name was not found");
    expect([error.certain, error.final]).toEqual([true, false]);
  });

  test("names that take too long to find", async () => {
    const { end, options } = limited();
    const resolve = () => {
      queueMicrotask(end);
      return new Promise<string[]>(() => undefined);
    };
    const error = await errorOf("http://slow.example/", { ...options, resolve });
    expect([error.certain, error.final]).toEqual([true, false]);
  });

  test("a TLS handshake that never ends: nothing was sent", async () => {
    const { end, options } = limited();
    await using silent = await Sockets.start((socket) => socket.once("data", end));
    const error = await errorOf(`https://127.0.0.1:${silent.port}/`, options);
    expect([error.certain, error.final, silent.connections]).toEqual([true, false, 1]);
  });

  test("several addresses that never answer: the time is that of all together", async () => {
    const { end, options } = limited();
    await using silent = await Sockets.start((socket) => socket.once("data", end));
    const resolve = async () => ["127.0.0.1", "127.0.0.1", "127.0.0.1"];
    const error = await errorOf(`https://far.example:${silent.port}/`, { ...options, resolve });
    expect([error.certain, error.message]).toEqual([
      true,
      "far.example cannot be reached: there was no response within 7 seconds",
    ]);
  });

  test("no answer after everything was sent: nobody knows", async () => {
    const { end, options } = limited();
    await using silent = await Sockets.start((socket) => socket.once("data", end));
    const error = await errorOf(silent.url, options);
    expect([error.certain, error.message]).toEqual([
      false,
      "127.0.0.1: there was no response within 7 seconds",
    ]);
  });

  test("a connection cut after everything was sent: nobody knows", async () => {
    await using cutting = await Sockets.start((socket) => socket.once("data", () => socket.destroy()));
    const { certain, message } = await errorOf(cutting.url);
    expect(certain).toBe(false);
    expect(message).toBe("127.0.0.1: the connection was closed before there was a complete answer");
  });

  test("a body that the remote never reads did not arrive completely", async () => {
    const { end, options } = limited();
    await using stuffed = await Sockets.start((socket) => {
      socket.once("data", () => {
        socket.pause();
        end();
      });
    });
    const error = await errorOf(stuffed.url, options, { ...REQUEST, body: "x".repeat(50_000_000) });
    expect(error.certain).toBe(true);
  });

  const NO_HTTP = ["SSH-2.0-OpenSSH_9.6\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n", "\r\n\r\n", "x".repeat(20_000)];
  for (const said of NO_HTTP)
    test(`what is no HTTP is no answer: ${JSON.stringify(said.slice(0, 20))}`, async () => {
      await using odd = await Sockets.start((socket) => socket.end(said));
      expect((await errorOf(odd.url)).certain).toBe(false);
    });

  test("an error names the host, never the path", async () => {
    await using cutting = await Sockets.start((socket) => socket.destroy());
    expect((await errorOf(cutting.url)).message).not.toContain("secret-path");
  });
});

describe("answers", () => {
  /** What a remote replies, and how that is to be understood. */
  async function answered(...said: string[]) {
    const { end, options } = limited();
    await using far = await Sockets.start((socket) => {
      socket.once("data", async () => {
        for (const part of said) socket.write(part);
        // It is in the receiver's buffers now, and in each round of this loop they are read.
        for (let round = 0; round < 20; round++) await new Promise(setImmediate);
        end();
      });
    });
    const { status, body } = await testEgress(options).request(far.url, REQUEST);
    return [status, body];
  }

  test("with a length, in chunks, without a body, after others, or as long as the status came", async () => {
    expect(await answered("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokay")).toEqual([200, "ok"]);
    expect(
      await answered(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n",
        "2\r\nde\r\n0\r\n\r\n",
      ),
    ).toEqual([200, "abcde"]);
    expect(await answered("HTTP/1.1 204 No Content\r\n\r\n")).toEqual([204, ""]);
    expect(
      await answered("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"),
    ).toEqual([201, ""]);
    expect(await answered("HTTP/1.0 500\r\n\r\nhalf")).toEqual([500, "half"]);
    expect(await answered("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nha", "lf")).toEqual([200, "half"]);
  });

  test("that never come, as only others come first, are no answer, and cost no more than a few of these", async () => {
    let written = 0;
    await using endless = await Sockets.start((socket) => {
      const flood = () => {
        while (!socket.destroyed && socket.write("HTTP/1.1 100 Continue\r\n\r\n".repeat(1000))) written++;
        if (!socket.destroyed) socket.once("drain", flood);
      };
      socket.once("data", flood);
    });
    // A time limit that is never reached: what ends it is their number.
    const error = await errorOf(endless.url, { timeLimit: 1e6 });
    expect([error.certain, error.message]).toEqual([false, "127.0.0.1: it sends only interim responses"]);
    // 25 kB each: as much as fits into the buffers between the two, and not what is sent for as long as it lasts.
    expect(written).toBeLessThan(500);
  });

  test("with a head that never ends are none", async () => {
    await using endless = await Sockets.start((socket) => {
      const flood = () => {
        while (!socket.destroyed && socket.write("X-A: y\r\n".repeat(1000)));
        if (!socket.destroyed) socket.once("drain", flood);
      };
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\n");
        flood();
      });
    });
    const error = await errorOf(endless.url, { timeLimit: 1e6 });
    expect([error.certain, error.final]).toEqual([false, false]);
  });

  test("no more than 4 KB of it are kept, however much comes", async () => {
    await using far = await Receiver.start();
    far.reply = (response) => {
      response.writeHead(200);
      const flood = () => {
        while (!response.destroyed && response.write("y".repeat(65_536)));
        if (!response.destroyed) response.once("drain", flood);
      };
      flood();
    };
    const { body } = await testEgress().request(far.url, REQUEST);
    expect(body).toBe("y".repeat(4096));
  });

  test("a malformed one is a useless answer", async () => {
    await using odd = await Sockets.start((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"));
    });
    expect((await errorOf(odd.url)).certain).toBe(false);
  });
});
