import type { Config } from "../config.ts";
import { SETTINGS } from "../config.ts";

/** The settings of `muster serve`: all there are. */
export const ALL_SETTINGS = Object.keys(SETTINGS) as (keyof Config)[];
