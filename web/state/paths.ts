const OF_SERVICE = /^\/(api|badge|collector|docs|healthz|licenses|login|metrics|status|uploads)(\/|$)/;

/** Whether a page of the UI has the path, rather than something else that the service serves. */
export function isPagePath(path: string): boolean {
  return !OF_SERVICE.test(path);
}
