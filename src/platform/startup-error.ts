/** An error that ends a command: one line for the administrator, and exit code 1. */
export class StartupError extends Error {}

/** Ends a service that had started. */
export class ServiceEnded extends StartupError {}
