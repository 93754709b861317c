/** The settings of the mail server, in the settings and in the first steps. */
export const MAIL_SERVER = {
  title: "Mail server",
  hint: "All e-mail channels use it. You can change it in Settings.",
  settings: {
    mailhost: { label: "Mail server", hint: "Used by every e-mail channel without one of its own" },
    mailport: { label: "Port", hint: "Usually 587, or 465 with TLS" },
    mailsecurity: {
      label: "Encryption",
      choices: [
        ["starttls", "STARTTLS"],
        ["tls", "TLS"],
        ["none", "None"],
      ],
    },
    mailuser: { label: "SMTP user name", hint: "Empty: no login" },
    mailpassword: { label: "SMTP password", secret: true },
    mailfrom: { label: "Sender", hint: "Address that e-mails come from" },
  },
  stored: "Already set; leave empty to keep it",
} as const;
