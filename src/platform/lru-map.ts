/** A map of bounded size that drops the least recently used entry first. Setting an entry uses it. */
export class LruMap<K, V> extends Map<K, V> {
  /**
   * @param limit maximum number of entries
   * @param onDropped called with the value of each entry that is dropped because the map is full
   */
  constructor(
    private readonly limit: number,
    private readonly onDropped: (value: V) => void = () => undefined,
  ) {
    super();
  }

  /** The value for a key. Marks it as most recently used. */
  override get(key: K): V | undefined {
    const value = super.get(key);
    if (value !== undefined && this.delete(key)) super.set(key, value);
    return value;
  }

  /** As `get`, but does not mark the entry as used. */
  peek(key: K): V | undefined {
    return super.get(key);
  }

  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.size > this.limit ? this.keys() : [];
    if (oldest === undefined) return this;
    const dropped = super.get(oldest);
    this.delete(oldest);
    if (dropped !== undefined) this.onDropped(dropped);
    return this;
  }
}
