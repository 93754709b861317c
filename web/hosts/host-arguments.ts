import type { HostSettings } from "../api/types.ts";
import { textOf } from "../ui/form.tsx";
import { tagsIn } from "../ui/tag-field.tsx";

/** Arguments of hosts/test: the address that the form sets, or else the one that the agent reported. */
export function effectiveAddress(host: HostSettings, values: FormData) {
  const port = Number(textOf(values, "portout"));
  const ssl = textOf(values, "sslout");
  return {
    ipaddr: textOf(values, "ipaddrout") || host.ipaddrin,
    port: port > 0 ? port : host.portin,
    ssl: ssl === "-1" ? host.sslin : Number(ssl),
    sslverify: values.has("sslverify") ? 1 : 0,
    agentuser: textOf(values, "agentuser"),
    agentpassword: textOf(values, "agentpassword"),
  };
}

/**
 * The form as arguments of hosts/update. An unchanged status is left out, because setting it restarts the
 * deadline.
 */
export function hostArguments(host: HostSettings, values: FormData) {
  const status = textOf(values, "status");
  const tags = tagsIn(textOf(values, "tags"));
  return {
    id: host.id,
    hostname: textOf(values, "hostname"),
    keepname: values.has("keepname") ? 1 : 0,
    description: textOf(values, "description"),
    ...(Number(status) !== host.status && { status }),
    tag: tags.length > 0 ? tags : "",
    skew: textOf(values, "skew"),
    ipaddrout: textOf(values, "ipaddrout"),
    portout: Number(textOf(values, "portout")) || -1,
    sslout: textOf(values, "sslout"),
    sslverify: values.has("sslverify") ? 1 : 0,
    agentuser: textOf(values, "agentuser"),
    agentpassword: textOf(values, "agentpassword"),
  };
}
