import { Icon } from "../ui/icon.tsx";

/** A user's picture, or an icon. Decorative, because the name stands beside it. */
export function Avatar({ image, large = false }: { image: string; large?: boolean }) {
  return (
    <span class={large ? "avatar avatar-large" : "avatar"}>
      {image ? <img src={`/uploads/${encodeURIComponent(image)}`} alt="" /> : <Icon name="account" />}
    </span>
  );
}
