import type { HostSettings } from "../api/types.ts";
import { itemsOf } from "../text/comma-list.ts";
import { textOf } from "../ui/form-values.ts";

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
 * The form as arguments of hosts/update. An unchanged status is left out, because setting it restarts the deadline.
 * @param isAdmin whether the form has what only administrators set
 */
export function hostArguments(host: HostSettings, values: FormData, isAdmin: boolean) {
  const texts = Object.fromEntries([...values.keys()].map((name) => [name, textOf(values, name)]));
  const { status, tags: tagText = "", ...settings } = texts;
  const tags = itemsOf(tagText);
  return {
    ...settings,
    id: host.id,
    portout: Number(settings.portout) || -1,
    keepname: values.has("keepname") ? 1 : 0,
    sslverify: values.has("sslverify") ? 1 : 0,
    ...(isAdmin && { actionqueue: values.has("actionqueue") ? 1 : 0 }),
    ...(Number(status) !== host.status && { status }),
    tag: tags.length > 0 ? tags : "",
  };
}
