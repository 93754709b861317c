/** The Model Context Protocol of the compiled executable, over the network, spoken by the client of its SDK. */
import { expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ADMIN_PASSWORD } from "../support/passwords.ts";
import { Muster, temporaryFolder } from "./support.ts";

test("the executable answers a client of the Model Context Protocol", async () => {
  const folder = temporaryFolder();
  try {
    await using muster = await Muster.start({ cwd: folder.path });
    const admin = await muster.client().signIn("admin", ADMIN_PASSWORD);
    const { json } = await admin.post("/api/1/tokens/create", { name: "assistant", scope: "read" });
    const client = new Client({ name: "test", version: "1" });
    const url = new URL(`http://127.0.0.1:${muster.port}/mcp`);
    const headers = { Authorization: `Bearer ${json.token}` };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    expect((await client.listTools()).tools).toHaveLength(8);
    const { content } = await client.callTool({ name: "list_hosts", arguments: {} });
    expect(JSON.parse((content as [{ text: string }])[0].text)).toMatchObject({
      totalRecords: 0,
      records: [],
    });
    await client.close();
  } finally {
    folder.remove();
  }
});
