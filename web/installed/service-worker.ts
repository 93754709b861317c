/**
 * Caches the shell of the installed app: its start page, scripts, styles and icons. It never caches a reply of the
 * API, so that data is either current, or marked as old by the page itself.
 */
import { isPagePath } from "../state/paths.ts";

const CACHE = "muster-shell";
const START = "/";
/** Names of the build with a hash of their content. */
const HASHED = /^\/[\w.-]+-[0-9a-z]{8}\.(js|css|svg|woff2)$/;

/** The parts of the worker's global scope that are used; the types of the DOM lack them. */
interface WorkerScope {
  location: Location;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  addEventListener(type: "install" | "activate", listener: (event: ShellEvent) => void): void;
  addEventListener(type: "fetch", listener: (event: ShellFetchEvent) => void): void;
}
interface ShellEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface ShellFetchEvent extends ShellEvent {
  request: Request;
  respondWith(reply: Promise<Response>): void;
}

const scope = globalThis as unknown as WorkerScope;

/** Addresses of files that pages requested since this worker was started. Browsers end idle workers within a minute. */
const requested = new Set<string>();

/**
 * Caches the start page. If it has changed, the files of earlier versions are deleted, except those that a page
 * requested while the start page was loading.
 */
async function keepStart(reply: Response): Promise<void> {
  if (!reply.ok) return;
  const cache = await caches.open(CACHE);
  const [cachedText, text] = await Promise.all([
    cache.match(START).then((response) => response?.text()),
    reply.clone().text(),
  ]);
  if (cachedText === text) return;
  for (const key of await cache.keys()) if (!requested.has(key.url)) await cache.delete(key);
  await cache.put(START, reply);
}

/** The start page from the service; the cached one only while the service cannot be reached. */
async function page(event: ShellFetchEvent): Promise<Response> {
  try {
    const reply = await fetch(event.request);
    if (reply.ok && reply.headers.get("Content-Type")?.startsWith("text/html"))
      event.waitUntil(fetch(START, { cache: "no-cache" }).then(keepStart));
    return reply;
  } catch (error) {
    const cached = await caches.match(START);
    if (!cached) throw error;
    return cached;
  }
}

/** A file whose name changes with its content. */
async function file(request: Request): Promise<Response> {
  requested.add(request.url);
  const cached = await caches.match(request);
  if (cached) return cached;
  const reply = await fetch(request);
  if (reply.ok) await (await caches.open(CACHE)).put(request, reply.clone());
  return reply;
}

scope.addEventListener("install", (event) => event.waitUntil(scope.skipWaiting()));
scope.addEventListener("activate", (event) => event.waitUntil(scope.clients.claim()));
scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== scope.location.origin) return;
  if (request.mode === "navigate" && isPagePath(url.pathname)) event.respondWith(page(event));
  else if (HASHED.test(url.pathname)) event.respondWith(file(request));
});
