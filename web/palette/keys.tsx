import { Dialog } from "../ui/dialog.tsx";
import { KEYS } from "./palette.texts.ts";

/** The keys that work on every page. */
export function Keys({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={KEYS.title} onClose={onClose}>
      <dl class="keys">
        {KEYS.keys.map(([keys, text]) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div class="form-buttons">
        <button type="button" onClick={onClose}>
          {KEYS.close}
        </button>
      </div>
    </Dialog>
  );
}
