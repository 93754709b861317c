import { type Config, SETTINGS } from "../../platform/config/config.definitions.ts";

/** The settings of `muster serve`: all there are. */
export const ALL_SETTINGS = Object.keys(SETTINGS) as (keyof Config)[];
