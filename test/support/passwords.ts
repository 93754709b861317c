/** The passwords that tests set. Their own file, as whatever imports the app loads all of it, for a third of a second. */
export const ADMIN_PASSWORD = "admin secret";
export const USER_PASSWORD = "user secret";
export const COLLECTOR_PASSWORD = "collector secret";
