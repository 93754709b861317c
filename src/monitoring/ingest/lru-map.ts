/** A map of bounded size that drops the least recently used entry first. */
export class LruMap<K, V> {
  /** The least recently used entry comes first. */
  readonly #entries = new Map<K, V>();

  /**
   * @param limit maximum number of entries
   * @param onDropped called with each entry that is dropped because the map is full
   */
  constructor(
    private readonly limit: number,
    private readonly onDropped: (value: V) => void,
  ) {}

  get size(): number {
    return this.#entries.size;
  }

  /** The value for a key. Marks it as most recently used. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** As `get`, but does not mark the entry as used. */
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
