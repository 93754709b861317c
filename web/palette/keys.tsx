import { Dialog } from "../ui/dialog.tsx";

const KEYS: readonly (readonly [keys: readonly string[], text: string])[] = [
  [["Ctrl", "K"], "Find a host, service, group, screen or action"],
  [["/"], "Go to the filter of the page"],
  [["?"], "Show these keys"],
  [["↑", "↓"], "Choose in a list"],
  [["Enter"], "Open what is chosen"],
  [["Esc"], "Close a dialog"],
];

/** The keys that work on every page. */
export function Keys({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([keys, text]) => (
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
          Close
        </button>
      </div>
    </Dialog>
  );
}
