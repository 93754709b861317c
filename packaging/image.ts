/**
 * Builds a container image as an archive in the format of the Open Container Initiative, which Docker loads, too: the
 * executable and the libraries that it needs, without a shell. It runs as any user, and needs to write to /data alone.
 */
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import manifest from "../package.json" with { type: "json" };
import { run } from "./run.ts";

/** What the executable loads: the C library, and the library of the compiler that threads need, with its license. */
export const IMAGE_PACKAGES = ["libc6", "libgcc-s1", "gcc-12-base"] as const;

/** The user that a container runs as unless it is started as another one. */
const USER = 65_532;

/** Conversions between character sets, and notes of the maintainers. */
const UNUSED = [
  "usr/lib/*/gconv",
  "usr/share/lintian",
  "usr/share/doc/*/[!c]*",
  "usr/share/doc/*/changelog*",
];

const HERE = import.meta.dir;
const ETC = {
  passwd: `root:x:0:0:root:/:/sbin/nologin\nmuster:x:${USER}:${USER}:Muster:/data:/sbin/nologin\n`,
  group: `root:x:0:\nmuster:x:${USER}:\n`,
  "nsswitch.conf": "hosts: files dns\n",
};

const LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";
const CONFIG = "application/vnd.oci.image.config.v1+json";
const MANIFEST = "application/vnd.oci.image.manifest.v1+json";

export interface ImageOptions {
  executable: string;
  architecture: "amd64" | "arm64";
  /** Debian packages with the libraries, for this architecture. */
  packages: readonly string[];
  /** Path of the archive to write. */
  output: string;
  /** Time of everything in it, unix seconds: that of the commit. */
  date: number;
  /** Compression level, 0 to 9. */
  level?: number;
}

/** Packs a folder so that the same files give the same bytes. */
function pack(root: string, output: string, date: number): void {
  const same = [
    "--sort=name",
    "--format=gnu",
    `--mtime=@${date}`,
    "--owner=0",
    "--group=0",
    "--numeric-owner",
  ];
  run(["tar", ...same, "-C", root, "-cf", output, "."]);
}

/** The files of the image. */
function fill(root: string, { executable, packages }: ImageOptions): void {
  mkdirSync(root);
  for (const file of packages) run(["dpkg-deb", "--extract", file, root]);
  for (const path of UNUSED)
    run(["find", root, "-path", `${root}/${path}`, "-prune", "-exec", "rm", "-rf", "{}", "+"]);
  const licenses = join(root, "usr/share/doc/muster");
  cpSync(join(HERE, "../LICENSES"), licenses, { recursive: true });
  copyFileSync(join(HERE, "../LICENSE"), join(licenses, "copyright"));
  for (const [name, text] of Object.entries(ETC)) {
    mkdirSync(join(root, "etc"), { recursive: true });
    writeFileSync(join(root, "etc", name), text);
  }
  const target = join(root, "usr/bin/muster");
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(executable, target);
  run(["chmod", "-R", "u=rwX,go=rX", root]);
  chmodSync(target, 0o755);
  for (const name of ["data", "tmp"]) {
    mkdirSync(join(root, name));
    // A volume that is made from it may be written by any user.
    chmodSync(join(root, name), 0o1777);
  }
}

function configOf(architecture: string, date: number, diffId: string) {
  const created = new Date(date * 1000).toISOString();
  return {
    created,
    architecture,
    os: "linux",
    config: {
      User: `${USER}:${USER}`,
      Env: ["MUSTER_DATA=/data", "MUSTER_LISTEN=0.0.0.0:8080"],
      Entrypoint: ["/usr/bin/muster"],
      Cmd: ["serve"],
      WorkingDir: "/data",
      Volumes: { "/data": {} },
      ExposedPorts: { "8080/tcp": {} },
      StopSignal: "SIGTERM",
      // Docker's addition to the format. Durations are nanoseconds.
      Healthcheck: {
        Test: ["CMD", "/usr/bin/muster", "healthcheck"],
        Interval: 30e9,
        Timeout: 6e9,
        StartPeriod: 10e9,
      },
      Labels: {
        "org.opencontainers.image.title": "Muster",
        "org.opencontainers.image.version": manifest.version,
        "org.opencontainers.image.description": manifest.description,
      },
    },
    rootfs: { type: "layers", diff_ids: [diffId] },
    history: [{ created, created_by: "packaging/image.ts" }],
  };
}

const digestOf = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** The content of an archive, by addresses that follow from the content. */
class Layout {
  constructor(private readonly root: string) {
    mkdirSync(join(root, "blobs/sha256"), { recursive: true });
    this.write("oci-layout", { imageLayoutVersion: "1.0.0" });
  }

  write(name: string, content: object): void {
    writeFileSync(join(this.root, name), JSON.stringify(content));
  }

  /** Adds a blob. @returns what refers to it */
  add(mediaType: string, content: Uint8Array | object) {
    const bytes = content instanceof Uint8Array ? content : Buffer.from(JSON.stringify(content));
    const digest = digestOf(bytes);
    writeFileSync(join(this.root, "blobs", digest.replace(":", "/")), bytes);
    return { mediaType, digest, size: bytes.byteLength };
  }
}

/** @throws Error with the output of tar or dpkg-deb */
export function buildImage(options: ImageOptions): void {
  const { architecture, output, date, level = 6 } = options;
  const folder = mkdtempSync(join(tmpdir(), "muster-image-"));
  try {
    const [root, layerFile] = [join(folder, "root"), join(folder, "layer.tar")];
    fill(root, options);
    pack(root, layerFile, date);
    const layerBytes = readFileSync(layerFile);
    const layout = new Layout(join(folder, "layout"));
    const layer = layout.add(LAYER, gzipSync(layerBytes, { level }));
    const config = layout.add(CONFIG, configOf(architecture, date, digestOf(layerBytes)));
    const image = layout.add(MANIFEST, { schemaVersion: 2, mediaType: MANIFEST, config, layers: [layer] });
    const name = `muster:${manifest.version}`;
    const annotations = {
      "org.opencontainers.image.ref.name": manifest.version,
      "io.containerd.image.name": `docker.io/library/${name}`,
    };
    const platform = { architecture, os: "linux" };
    layout.write("index.json", { schemaVersion: 2, manifests: [{ ...image, platform, annotations }] });
    // What versions of Docker read that do not know the format.
    const pathOf = ({ digest }: { digest: string }) => `blobs/${digest.replace(":", "/")}`;
    layout.write("manifest.json", [{ Config: pathOf(config), RepoTags: [name], Layers: [pathOf(layer)] }]);
    pack(join(folder, "layout"), output, date);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
