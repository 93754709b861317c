/** The upper bound: the same listener reads the same body and answers 200, nothing else. */
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";

const app = new Hono();
app.post("/collector", async (c) => {
  await c.req.arrayBuffer();
  return c.body(null, 200);
});
const server = createAdaptorServer({ fetch: app.fetch });
server.listen(Number(process.argv[2]), "0.0.0.0", () => console.log("listening"));
