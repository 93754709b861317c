import { MAIL_ADDRESS, MAIL_HOST, MAIL_SECURITY } from "../../../platform/net/mail.ts";
import type { ChannelKind } from "./channel-kind.ts";
import { choiceField, linesField, linesOf, secretField, textField } from "./fields.ts";

const MAX_RECIPIENTS = 100;
export const PASSWORD_NEEDS_ENCRYPTION = "starttls or tls, so that the password is not sent unencrypted";

/** Whether the text is one mail address, without a name or angle brackets. The domain is not looked up. */
export function isMailAddress(text: string): boolean {
  return MAIL_ADDRESS.test(text);
}

/** Mail, delivered by SMTP to a server of the channel or, without one, to the mail server in the settings. */
export const email: ChannelKind = {
  kind: "email",
  label: "E-mail",
  grouped: true,
  recipients: "to",
  fields: [
    textField(
      "host",
      "Mail server",
      "name or address; empty: the mail server in the settings, with its login",
      { required: false, shared: true },
    ),
    textField("port", "Port", "usually 587, or 465 with TLS", { initial: "587", shared: true }),
    choiceField(
      "security",
      "Encryption",
      "starttls (port 587) and tls (port 465) need a valid certificate; with none, no password can be set",
      { initial: "starttls", choices: MAIL_SECURITY, shared: true },
    ),
    textField("user", "User name", "if the server requires a login", { required: false, shared: true }),
    secretField("password", "Password", "password for the login", { required: false, shared: true }),
    textField("from", "From", "sender; empty: the sender in the settings", {
      required: false,
      shared: true,
    }),
    linesField("to", "To", "recipients, one address per line"),
  ],
  check({ host = "", port = "", security, user = "", password = "", from = "", to = "" }) {
    const recipients = linesOf(to);
    if (!MAIL_HOST.test(host))
      return {
        field: "host",
        allowed: "a host name or an address, since the settings have no mail server",
      };
    if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
      return { field: "port", allowed: "a port" };
    if (!MAIL_ADDRESS.test(from))
      return { field: "from", allowed: "an e-mail address, since the settings have no sender" };
    if (
      recipients.length < 1 ||
      recipients.length > MAX_RECIPIENTS ||
      !recipients.every((address) => isMailAddress(address))
    )
      return { field: "to", allowed: `1 to ${MAX_RECIPIENTS} e-mail addresses, one per line` };
    if (password !== "" && user === "") return { field: "user", allowed: "given with a password" };
    if (user !== "" && security === "none") return { field: "security", allowed: PASSWORD_NEEDS_ENCRYPTION };
    return null;
  },
  inherit: (settings, shared) => ({
    ...settings,
    ...(settings.host === "" && {
      host: shared.get("mailhost"),
      port: String(shared.get("mailport")),
      security: shared.get("mailsecurity"),
      user: shared.get("mailuser"),
      password: shared.get("mailpassword"),
    }),
    from: settings.from || shared.get("mailfrom"),
  }),
  async send(settings, message, egress) {
    const { sendMail } = await import("./smtp.ts");
    return await sendMail(settings, message, egress);
  },
};
