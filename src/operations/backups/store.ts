/** Where backups are stored. A folder and a bucket differ only behind this interface. */

export interface StoredFile {
  name: string;
  bytes: number;
}

/** How far an upload came, so that another process can resume it. */
export interface UploadProgress {
  id: string;
  partBytes: number;
  /** Tags of the parts that arrived, in order. */
  tags: string[];
}

export interface PutOptions {
  /** Whether an earlier attempt may have stored the same file. */
  isRepeated: boolean;
  /** How far the earlier attempt came; null: from the start. */
  resumed: UploadProgress | null;
  /** Called when another part has arrived. */
  save(progress: UploadProgress): void;
  /** Called with the number of bytes that were sent since the last call. */
  step(bytes: number): void;
}

export interface BackupStore {
  /** Names the place in messages, without secrets. */
  readonly description: string;
  /** Free space, bytes; null where it is not limited or not known. */
  freeSpace(): number | null;
  /** All backups, the oldest first. */
  list(): Promise<StoredFile[]>;
  /** Stores a file. It appears under its name only when complete, and replaces none. */
  put(file: string, name: string, options: PutOptions): Promise<void>;
  /** Reads a backup from its start. */
  read(name: string): AsyncIterable<Uint8Array>;
  remove(name: string): Promise<void>;
}
