/** A map of bounded size: the entry that was not used for longest is dropped first. */
export class LruMap<K, V> {
  /** The least recently used entry comes first. */
  readonly #entries = new Map<K, V>();

  /**
   * @param limit entries at most
   * @param onDropped is told of each entry that was dropped for want of room
   */
  constructor(
    private readonly limit: number,
    private readonly onDropped: (value: V) => void,
  ) {}

  get size(): number {
    return this.#entries.size;
  }

  /** The value, which counts as used now. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** As `get`, but it does not count as a use. */
  peek(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.limit) return;
    const [oldest] = this.#entries;
    if (oldest === undefined) return;
    this.#entries.delete(oldest[0]);
    this.onDropped(oldest[1]);
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
