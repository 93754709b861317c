import { type Config, SETTINGS } from "../../platform/config/config.definitions.ts";

/** The settings of `muster serve`, which are all settings. */
export const ALL_SETTINGS = Object.keys(SETTINGS) as (keyof Config)[];
