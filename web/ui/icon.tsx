/** SVG paths on a 24 x 24 grid, drawn with a stroke. */
const PATHS = {
  overview: "M4 4h7v7H4zM13 4h7v4h-7zM13 11h7v9h-7zM4 14h7v6H4z",
  hosts: "M4 5h16v6H4zM4 13h16v6H4zM8 8h.01M8 16h.01",
  incidents: "M12 3l9.5 17h-19zM12 10v5M12 17.5v.1",
  events: "M4 6h16M4 12h10M4 18h13",
  uptime: "M3 12h4l3-7 4 14 3-7h4",
  chart: "M4 20V10h4v10zM10 20V4h4v16zM16 20v-7h4v7z",
  phone: "M5 4h4l2 5-3 2a11 11 0 0 0 5 5l2-3 5 2v4h-1A15 15 0 0 1 5 5z",
  groups: "M3 7h6l2 2h10v10H3z",
  page: "M4 4h16v16H4zM4 9h16M8 13h8M8 16h5",
  gauge: "M4 17a8 8 0 1 1 16 0M12 17l4-6M4 17h2M18 17h2",
  bell: "M6 17V11a6 6 0 0 1 12 0v6l2 1H4zM10 21h4",
  users:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6M18 14.5a6.5 6.5 0 0 1 3.5 5.5",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4",
  key: "M8 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 12h9M17 12v4M21 12v3",
  health: "M12 20C5 15 3 11.5 3 8.5A4.5 4.5 0 0 1 12 7a4.5 4.5 0 0 1 9 1.5c0 3-2 6.5-9 11.5z",
  audit: "M6 3h9l4 4v14H6zM9 11h7M9 15h7",
  about: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v6M12 7.5v.1",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.5 2",
  play: "M7 5l12 7-12 7z",
  pause: "M8 5v14M16 5v14",
  print: "M7 9V3h10v6M7 18H4V9h16v9h-3M7 14h10v7H7z",
  account: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21a8 8 0 0 1 16 0",
  menu: "M4 6h16M4 12h16M4 18h16",
  close: "M6 6l12 12M18 6L6 18",
  signout: "M10 4H5v16h5M15 8l4 4-4 4M9 12h10",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
  contrast: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 3v18",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  check: "M5 12.5l4.5 4.5L19 7",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L20 20",
  note: "M5 4h14v11l-5 5H5zM14 20v-5h5",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  edit: "M4 20l1-4L16 5l3 3L8 19z",
  plus: "M12 5v14M5 12h14",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  next: "M9 6l6 6-6 6",
  previous: "M15 6l-6 6 6 6",
  up: "M6 14l6-6 6 6",
  down: "M6 10l6 6 6-6",
  dismiss: "M5 12h14",
  mute: "M6 17V11a6 6 0 0 1 9-5.2M18 11v6l2 1H8M10 21h4M4 4l16 16",
  offline: "M4 4l16 16M8.5 15.5a5 5 0 0 1 7 0M5 12a10 10 0 0 1 4-2.4M19 12a10 10 0 0 0-6-2.8M12 19h.01",
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon. The text beside it or the label of the control carries the meaning. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
