/** Code of the range whose dates the user chooses. */
export const CUSTOM = 12;

/** Ranges of the uptime report by code. */
export const UPTIME_RANGES: readonly (readonly [code: number, name: string])[] = [
  [0, "Today"],
  [5, "7 days"],
  [6, "1 month"],
  [7, "3 months"],
  [8, "6 months"],
  [9, "1 year"],
  [CUSTOM, "Custom"],
];

/** Ranges of the uptime report that follow the calendar. */
export const CALENDAR_RANGES: readonly (readonly [code: number, name: string])[] = [
  [100, "This month"],
  [101, "Last month"],
  [102, "This quarter"],
  [103, "Last quarter"],
  [104, "This year"],
  [105, "Last year"],
];
