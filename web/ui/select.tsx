/** Fields that choose one option, or yes or no. The sign-in needs none of them, and so does not load them. */
import { useId } from "preact/hooks";

interface SelectProps {
  label: string;
  name: string;
  /** The chosen value; without `onChange`, the initial one. */
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  hint?: string;
  /** Small print beside the label. */
  note?: string;
  onChange?: (value: string) => void;
}

/** A labelled choice of one option. Without `onChange` it keeps its own state, which the form around it reads. */
export function Select({ label, name, value, options, hint, note, onChange }: SelectProps) {
  const id = useId();
  const controlled = onChange !== undefined;
  return (
    <div class="field">
      <label for={id}>
        {label}
        {note && <code class="field-note">{note}</code>}
      </label>
      <select
        id={id}
        name={name}
        {...(hint && { "aria-describedby": `${id}-hint` })}
        {...(controlled && { value, onChange: (event) => onChange(event.currentTarget.value) })}
      >
        {options.map(([key, text]) => (
          <option
            key={key}
            value={key}
            {...(controlled ? { selected: key === value } : { defaultSelected: key === value })}
          >
            {text}
          </option>
        ))}
      </select>
      {hint && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  );
}

interface CheckProps {
  label: string;
  name?: string;
  /** Whether it is checked; without `onChange`, at first. */
  checked: boolean;
  onChange?: (checked: boolean) => void;
}

/** A labelled checkbox. Without `onChange` it keeps its own state, which the form around it reads. */
export function Check({ label, name, checked, onChange }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        name={name}
        value="1"
        {...(onChange
          ? { checked, onChange: (event) => onChange(event.currentTarget.checked) }
          : { defaultChecked: checked })}
      />
      <span>{label}</span>
    </label>
  );
}
