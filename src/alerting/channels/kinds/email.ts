import type { ChannelKind } from "./channel-kind.ts";
import { choiceField, linesField, linesOf, secretField, textField } from "./fields.ts";

const MAX_RECIPIENTS = 100;
/** A mail address, without a name. */
export const ADDRESS = /^[^\s@<>()",;:\\[\]]{1,64}@[^\s@<>()",;:\\[\]]{1,255}$/;

export function isMailAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** Mail, delivered by SMTP to the configured server. */
export const email: ChannelKind = {
  kind: "email",
  label: "E-mail",
  grouped: true,
  recipients: "to",
  fields: [
    textField("host", "Mail server", "name or address of the mail server"),
    textField("port", "Port", "its port: 587, 465 or 25", { initial: "587" }),
    choiceField(
      "security",
      "Encryption",
      "starttls (port 587) and tls (port 465) need a valid certificate; with none, no password can be set",
      { initial: "starttls", choices: ["starttls", "tls", "none"] },
    ),
    textField("user", "User name", "if the server wants a login", { required: false }),
    secretField("password", "Password", "of that user", { required: false }),
    textField("from", "From", "address that the mail comes from"),
    linesField("to", "To", "addresses that it goes to, one a line"),
  ],
  check({ host = "", port = "", security, user = "", password = "", from = "", to = "" }) {
    const recipients = linesOf(to);
    if (!/^[\w.:-]{1,255}$/.test(host)) return { field: "host", allowed: "a host name or an address" };
    if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
      return { field: "port", allowed: "a port" };
    if (!ADDRESS.test(from)) return { field: "from", allowed: "a mail address" };
    if (
      recipients.length < 1 ||
      recipients.length > MAX_RECIPIENTS ||
      !recipients.every((one) => ADDRESS.test(one))
    )
      return { field: "to", allowed: `1 to ${MAX_RECIPIENTS} mail addresses, one a line` };
    if (password !== "" && user === "") return { field: "user", allowed: "given with a password" };
    if (user !== "" && security === "none")
      return { field: "security", allowed: "starttls or tls, so that the password is not sent in the open" };
    return null;
  },
  async send(settings, message, egress) {
    const { sendMail } = await import("./smtp.ts");
    return await sendMail(settings, message, egress);
  },
};
