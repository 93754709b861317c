/**
 * An error that prevents a command from running: printed as one line for the administrator, with exit code 1.
 */
export class StartupError extends Error {}
