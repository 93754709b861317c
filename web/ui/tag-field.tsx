import { useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import type { TagList } from "../api/types.ts";
import { useResource } from "../state/polled-resource.ts";
import { Field } from "./form.tsx";

const SUGGESTIONS = 100;

/** The tags in a text that separates them by commas. */
export function tagsIn(text: string): string[] {
  return text
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
}

/** The text with its last tag completed by each of these. */
export function completions(text: string, tags: readonly string[]): string[] {
  const given = tagsIn(text);
  const last = text.trim().endsWith(",") ? "" : (given.pop() ?? "");
  return tags
    .filter((tag) => tag.includes(last.toLowerCase()) && !given.includes(tag))
    .slice(0, SUGGESTIONS)
    .map((tag) => [...given, tag].join(", "));
}

/** Tags in use; and for filters their names alone, which match every value. */
function useKnownTags(withNames: boolean): string[] {
  const list = useResource<TagList>("/status/tags/list");
  const tags = list.data.value?.records.map(({ tag }) => tag) ?? [];
  if (!withNames) return tags;
  const names = tags.map((tag) => tag.split("=")[0] ?? tag);
  return [...new Set([...names, ...tags])].sort();
}

interface TagFieldProps {
  label: string;
  name: string;
  /** Tags, separated by commas. */
  value: string;
  placeholder?: string;
  hint?: string;
}

/** An input of tags that suggests those in use. The form around it reads it. */
export function TagField({ value, ...field }: TagFieldProps) {
  const id = useId();
  const typed = useSignal(value);
  const known = useKnownTags(false);
  return (
    <>
      <Field
        {...field}
        list={`${id}-tags`}
        autoComplete="off"
        autoCapitalize="none"
        defaultValue={value}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
        }}
      />
      <Suggestions id={`${id}-tags`} texts={completions(typed.value, known)} />
    </>
  );
}

/** A filter by tags, applied when a suggestion is chosen or the input is left. Not shown while no host has tags. */
export function TagFilter({
  value,
  onChange,
  ...field
}: TagFieldProps & { onChange: (tags: string) => void }) {
  const id = useId();
  const typed = useSignal(value);
  const known = useKnownTags(true);
  useEffect(() => {
    typed.value = value;
  }, [value]);
  if (known.length === 0 && value === "") return null;
  const suggested = completions(typed.value, known);
  const apply = (text: string) => onChange(tagsIn(text).join(", "));
  return (
    <>
      <Field
        {...field}
        type="search"
        list={`${id}-tags`}
        autoComplete="off"
        autoCapitalize="none"
        value={typed.value}
        onInput={(event) => {
          const text = event.currentTarget.value;
          const isChosen = text === "" || known.includes(tagsIn(text).at(-1) ?? "");
          typed.value = text;
          if (isChosen && !text.trim().endsWith(",")) apply(text);
        }}
        onChange={(event) => apply(event.currentTarget.value)}
      />
      <Suggestions id={`${id}-tags`} texts={suggested} />
    </>
  );
}

function Suggestions({ id, texts }: { id: string; texts: readonly string[] }) {
  return (
    <datalist id={id}>
      {texts.map((text) => (
        <option key={text} value={text} />
      ))}
    </datalist>
  );
}

/** Tags of a host, each of which leads to the hosts that have it. */
export function TagLinks({ tags }: { tags: readonly string[] }) {
  return (
    <>
      {tags.map((tag) => (
        <a key={tag} class="tag tag-link" href={`/hosts?tag=${encodeURIComponent(tag)}`}>
          {tag}
        </a>
      ))}
    </>
  );
}
