/** Why a command does not do its work: one line for the administrator, and exit code 1. */
export class StartupError extends Error {}
