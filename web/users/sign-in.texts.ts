/** All texts of the sign-in, which is loaded first: hence a file of its own. */
export const SIGN_IN = {
  title: "Sign in",
  pageTitle: "Sign in - Muster",
  product: "Muster",
  userName: "User name",
  password: "Password",
  code: "Code",
  codeHint: "From your authenticator app, or a recovery code",
  expired: "Your session has expired. Sign in to continue where you left off.",
  withProvider: (name: string) => `Sign in with ${name}`,
  continueAs: (uname: string) => `Continue as ${uname}`,
} as const;
