/** Where Muster listens, and how it takes a renewed certificate. */
import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { needing } from "../support/programs.ts";
import { expectRefusal } from "./serving.ts";
import { eventually, Muster, temporaryFolder } from "./support.ts";

const TLS = join(import.meta.dir, "../fixtures/tls");

/** The certificate a server shows, as its fingerprint. */
function certificateOf(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

describe("listening", () => {
  test("on several addresses and a unix socket, also one that a killed process left", async () => {
    using folder = temporaryFolder();
    const cwd = folder.path;
    const socket = join(cwd, "muster.sock");
    const start = () => Muster.start({ cwd, listen: `127.0.0.1:0,[::1]:0,unix:${socket}` });
    await using muster = await start();
    const listed = /listen=(\S+)/.exec(muster.output)?.[1]?.split(",") ?? [];
    expect(listed).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      expect.stringMatching(/^\[::1\]:\d+$/),
      `unix:${socket}`,
    ]);
    const ask = () => fetch("http://muster.test/healthz", { unix: socket });
    for (const address of listed.slice(0, 2))
      expect((await fetch(`http://${address}/healthz`)).status).toBe(200);
    expect((await ask()).status).toBe(200);
    await expectRefusal(
      ["serve", "--data", "other", "--listen", `unix:${socket}`],
      cwd,
      "muster.sock: another process listens there",
    );
    await muster.kill();
    expect(existsSync(socket)).toBe(true);
    await using again = await start();
    expect((await ask()).status).toBe(200);
    expect(await again.stop()).toBe(0);
    expect(existsSync(socket)).toBe(false);
  });

  test("with queues as long as the kernel allows, so that many can connect while Muster calculates", async () => {
    using folder = temporaryFolder();
    await using muster = await Muster.start({ cwd: folder.path, listen: "127.0.0.1:0" });
    const longest = Number(readFileSync("/proc/sys/net/core/somaxconn", "utf8"));
    // More than the runtime's 512. No more than one source may have open, or the queue can hold.
    const count = Math.min(longest, 1500);
    const port = Number(new URL(muster.url).port);
    process.kill(muster.pid, "SIGSTOP");
    try {
      const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1"));
      await Promise.all(sockets.map((socket) => once(socket, "connect")));
      for (const socket of sockets) socket.destroy();
    } finally {
      process.kill(muster.pid, "SIGCONT");
    }
    expect((await fetch(`${muster.url}/healthz`)).status).toBe(200);
  });

  test("where it cannot names the address, and leaves a file alone that is there", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "notes.txt");
    writeFileSync(file, "to be kept");
    for (const [address, said] of [
      [`unix:${file}`, "a file is there that is no socket"],
      // Reserved for documentation (RFC 5737), so that no machine has it.
      ["192.0.2.1:0", "this machine does not have this address"],
      // Reserved as well (RFC 2606).
      ["muster.invalid:0", "no machine has this name or address"],
    ] as const)
      await expectRefusal(
        ["serve", "--data", "data", "--listen", address],
        folder.path,
        `--listen: ${address}: ${said}`,
      );
    expect(readFileSync(file, "utf8")).toBe("to be kept");
  });

  test("goes on when told to reload a certificate it does not have", async () => {
    using folder = temporaryFolder();
    await using muster = await Muster.start({ cwd: folder.path });
    process.kill(muster.pid, "SIGHUP");
    expect((await fetch(`${muster.url}/healthz`)).status).toBe(200);
    expect(await muster.stop()).toBe(0);
    expect(muster.output).not.toContain("certificate");
  });

  needing("openssl").test(
    "goes on with a renewed certificate on SIGHUP, without cutting an open request",
    async () => {
      using folder = temporaryFolder();
      const cwd = folder.path;
      const [cert, key] = [join(cwd, "cert.pem"), join(cwd, "key.pem")];
      copyFileSync(join(TLS, "cert.pem"), cert);
      copyFileSync(join(TLS, "key.pem"), key);
      // What git checks out can be read by others.
      chmodSync(key, 0o600);
      await using muster = await Muster.start({ cwd, args: ["--tls-cert", cert, "--tls-key", key] });
      const before = await certificateOf(muster.port);

      const open = connectTls({ port: muster.port, host: "127.0.0.1", rejectUnauthorized: false });
      let answer = "";
      open.on("data", (chunk) => {
        answer += chunk;
      });
      open.write("GET /healthz HTTP/1.1\r\nHost: muster.test\r\n");
      await eventually(
        "the open request is connected",
        () => open.authorized !== undefined && !open.connecting,
      );

      // A pair that does not fit leaves the old one in use.
      const made = Bun.spawnSync([
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-keyout",
        join(cwd, "new-key.pem"),
        "-out",
        cert,
        "-days",
        "2",
        "-subj",
        "/CN=renewed",
      ]);
      expect(made.exitCode).toBe(0);
      process.kill(muster.pid, "SIGHUP");
      await eventually("it refuses the pair", () => muster.output.includes("cannot be used reason="));
      expect(await certificateOf(muster.port)).toBe(before);

      copyFileSync(join(cwd, "new-key.pem"), key);
      process.kill(muster.pid, "SIGHUP");
      await eventually(
        "it shows the new certificate",
        async () => (await certificateOf(muster.port)) !== before,
      );
      open.write("\r\n");
      await eventually("the open request is answered", () => answer.includes('"status":"ok"'));
      open.destroy();
      expect((await fetch(`${muster.url}/healthz`, { tls: { rejectUnauthorized: false } })).status).toBe(200);
      expect(await muster.stop()).toBe(0);
    },
  );
});
