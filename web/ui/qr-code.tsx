import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Quiet zone in modules, which scanners need to find the code. */
const BORDER = 4;

/** A text as a QR code. It is dark on light in either theme, because not every camera reads an inverted one. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const code = useSignal<{ size: number; path: string } | null>(null);
  useEffect(() => {
    void import("uqr").then(
      ({ encode }) => {
        const { data, size } = encode(text, { border: BORDER });
        const path = data
          .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : "")))
          .join("");
        code.value = { size, path };
      },
      // Without the code, the user can still type the secret.
      () => undefined,
    );
  }, [text]);
  if (!code.value) return <div class="qr-code" />;
  const { size, path } = code.value;
  return (
    <svg
      class="qr-code"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
