/** All texts of the sign-in, which is loaded first: hence a file of its own. */
export const SIGN_IN = {
  title: "Sign in",
  pageTitle: "Sign in - Muster",
  product: "Muster",
  userName: "User name",
  password: "Password",
  code: "Code",
  codeHint: "From your authenticator app, or one of your recovery codes",
  expired: "Your session has ended. Sign in to go on where you were.",
  withProvider: (name: string) => `Sign in with ${name}`,
  continueAs: (uname: string) => `Continue as ${uname}`,
} as const;
