/** What commands say of an address that does not answer as Muster does. */
import { expect, test } from "bun:test";
import { COMMANDS } from "../../../src/commands.ts";
import { runCommand } from "../../../src/operations/commands/run.ts";

async function complaintOf(options: string[], environment: Record<string, string>): Promise<string> {
  const said: string[] = [];
  const code = await runCommand(COMMANDS, ["key", "list", ...options], environment, {
    print: expect.unreachable,
    complain: (line) => said.push(line),
    readSecret: () => Promise.reject(new Error("nothing is asked")),
  });
  expect(code).toBe(1);
  return said.join("\n");
}

/** @returns what the command complains of if the address, which is written like that, answers like that */
async function complaint(
  answer: () => Response,
  written = (origin: string) => origin,
  variables: Record<string, string> = {},
): Promise<string> {
  await using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
  const environment = { MUSTER_URL: written(server.url.origin), MUSTER_TOKEN: "muster_token", ...variables };
  return (await complaintOf([], environment)).replace(server.url.origin, "ADDRESS");
}

const page = (status: number) => new Response("<html>Bad Gateway</html>", { status });

test.each([
  ["a page of a proxy that reaches no Muster", page(502), "it answers with status 502"],
  ["a page of another server", page(200), "it does not answer as Muster does: check the address"],
  ["another JSON", Response.json({ keys: 3 }), "it does not answer as Muster does: check the address"],
  [
    "a standby",
    Response.json({ code: "standby", message: "Another Muster is active" }, { status: 503 }),
    "Another Muster is active",
  ],
] as const)("of %s", async (_what, answer, said) => {
  expect(await complaint(() => answer.clone() as Response)).toBe(`admin/keys/list at ADDRESS: ${said}`);
});

test("of the same address in capitals, which is the same", async () => {
  const said = await complaint(
    () => page(502),
    (origin) => origin.toUpperCase(),
  );
  expect(said).toBe("admin/keys/list at ADDRESS: it answers with status 502");
});

test("of a file for the token that cannot be read, by the option or variable that names it", async () => {
  const missing = "/nothing/there cannot be read: there is no such file or folder (ENOENT)";
  const variables = { MUSTER_URL: "http://127.0.0.1:9", MUSTER_TOKEN_FILE: "/nothing/there" };
  expect(await complaintOf([], variables)).toBe(`MUSTER_TOKEN_FILE: ${missing}`);
  expect(await complaintOf(["--token-file", "/nothing/there"], variables)).toBe(`--token-file: ${missing}`);
});

test("of two tokens, one in a variable and one in a file, neither of which is chosen", async () => {
  const said = await complaint(
    () => page(502),
    (origin) => origin,
    { MUSTER_TOKEN_FILE: "/nothing/there" },
  );
  expect(said).toBe("MUSTER_TOKEN and MUSTER_TOKEN_FILE are both set: unset one of them");
});

test.each(["/monitoring", "/?next=/", "/#/hosts"])(
  "of an address with more than an origin, which would be left out: %s",
  async (rest) => {
    const said = await complaint(
      () => page(502),
      (origin) => origin + rest,
    );
    expect(said).toBe(
      "MUSTER_URL must be the address of Muster, an origin without a path, as in https://muster.example.org",
    );
  },
);
