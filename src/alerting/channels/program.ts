/** The kind of channel that runs a program on the server. Only administrators use it. */
export const PROGRAM = "exec";
