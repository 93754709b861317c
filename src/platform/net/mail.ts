/** A mail address, without a name. */
export const MAIL_ADDRESS = /^[^\s@<>()",;:\\[\]]{1,64}@[^\s@<>()",;:\\[\]]{1,255}$/;
/** The name or address of a mail server. */
export const MAIL_HOST = /^[\w.:-]{1,255}$/;
/** How a mail server is reached. */
export const MAIL_SECURITY = ["starttls", "tls", "none"] as const;
