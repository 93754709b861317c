import { describe, expect, test } from "bun:test";
import type { HostSettings } from "../../../web/api/types.ts";
import { effectiveAddress, hostArguments } from "../../../web/hosts/host-arguments.ts";

describe("the address of an agent", () => {
  const host = { ipaddrin: "10.0.0.1", portin: 2812, sslin: 1 } as HostSettings;
  const form = (values: Record<string, string>) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(values)) data.set(name, value);
    return data;
  };

  test("is what the agent reported where nothing is set", () => {
    const address = effectiveAddress(
      host,
      form({ ipaddrout: "", portout: "", sslout: "-1", sslverify: "1" }),
    );
    expect(address).toMatchObject({ ipaddr: "10.0.0.1", port: 2812, ssl: 1, sslverify: 1 });
  });

  test("is what is set otherwise", () => {
    const address = effectiveAddress(host, form({ ipaddrout: "agent.example", portout: "443", sslout: "0" }));
    expect(address).toMatchObject({ ipaddr: "agent.example", port: 443, ssl: 0, sslverify: 0 });
  });
});

test("an unchanged status is not sent, because to set it restarts the deadline", () => {
  const host = { id: 7, status: 0 } as HostSettings;
  const values = new FormData();
  values.set("status", "0");
  expect(hostArguments(host, values, true)).not.toHaveProperty("status");
  values.set("status", "2");
  expect(hostArguments(host, values, true)).toMatchObject({ id: 7, status: "2" });
});
