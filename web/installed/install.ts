/** Makes the UI installable, and shows the number of problems on the icon of the installed app. */

interface BadgeNavigator {
  setAppBadge?: (count: number) => Promise<void>;
  clearAppBadge?: () => Promise<void>;
}

/** Adds a link that the bundler must not resolve, since its target keeps its name in each version. */
function addLink(rel: string, href: string): void {
  const link = document.createElement("link");
  link.rel = rel;
  link.href = href;
  document.head.append(link);
}

/** Offers the UI for installation. Browsers have no service worker on plain http. */
export function makeInstallable(): void {
  addLink("manifest", "/manifest.webmanifest");
  addLink("apple-touch-icon", "/icon-192.png");
  navigator.serviceWorker?.register("/service-worker.js").catch((error: unknown) => {
    // The UI works without it; only the installed app does not start while the service is away.
    console.warn(error);
  });
}

/** Shows a number on the icon; none for 0. */
export function showBadge(count: number): void {
  const { setAppBadge, clearAppBadge } = navigator as BadgeNavigator;
  const change = count > 0 ? setAppBadge?.call(navigator, count) : clearAppBadge?.call(navigator);
  // Browsers refuse it for pages that are not installed.
  change?.catch(() => undefined);
}
