import { useSignal } from "@preact/signals";
import type { TagList } from "../api/types.ts";
import { type Resource, useResource } from "../state/polled-resource.ts";
import { whenReleased } from "../state/release.ts";
import { itemsOf } from "../text/comma-list.ts";
import { Combobox, completions, ListField } from "./combobox.tsx";
import { useOutsideChange } from "./outside-change.ts";
import { Unread } from "./states.tsx";
import { UI } from "./ui.texts.ts";

/** Tags in use. For filters, also their names alone, which match every value. */
function useKnownTags(withNames: boolean): { knownTags: string[]; list: Resource<TagList> } {
  const list = useResource<TagList>("/status/tags/list");
  const tags = list.data.value?.records.map(({ tag }) => tag) ?? [];
  const names = withNames ? tags.map((tag) => tag.split("=")[0] ?? tag) : [];
  return { knownTags: withNames ? [...new Set([...names, ...tags])].sort() : tags, list };
}

const asSuggestion = (tag: string) => ({ value: tag, text: tag });

interface TagFieldProps {
  label: string;
  name: string;
  tags?: readonly string[] | undefined;
  hint?: string;
}

/** An input of tags that suggests those in use. The form around it reads it. */
export function TagField({ tags = [], ...field }: TagFieldProps) {
  const { knownTags, list } = useKnownTags(false);
  return (
    <>
      <ListField {...field} items={tags} suggestions={knownTags.map(asSuggestion)} />
      <Unread from={list} what={UI.tags} />
    </>
  );
}

interface TagFilterProps {
  label: string;
  name: string;
  /** Tags, separated by commas. */
  value: string;
  placeholder?: string;
  onChange: (tags: string) => void;
}

/**
 * A filter by tags, applied when a suggestion is chosen or the input loses the focus. Not shown if no host has tags.
 */
export function TagFilter({ value, onChange, ...field }: TagFilterProps) {
  const typed = useSignal(value);
  const { knownTags, list } = useKnownTags(true);
  const sends = useOutsideChange(value, () => {
    typed.value = value;
  });
  if (knownTags.length === 0 && value === "") return <Unread from={list} what={field.label} />;
  const apply = (text: string): string => {
    const tags = itemsOf(text).join(", ");
    sends(tags);
    onChange(tags);
    return tags;
  };
  return (
    <Combobox
      {...field}
      type="search"
      autoCapitalize="none"
      value={typed.value}
      suggestions={completions(typed.value, knownTags.map(asSuggestion))}
      onInput={(event) => {
        const text = event.currentTarget.value;
        const isChosen = text === "" || knownTags.includes(itemsOf(text).at(-1) ?? "");
        typed.value = text;
        if (isChosen && !text.trim().endsWith(",")) apply(text);
      }}
      onChange={({ currentTarget: { value: text } }) => {
        // What is pressed may be gone from the list that follows.
        whenReleased(() => {
          typed.value = apply(text);
        });
      }}
    />
  );
}

/** Tags of a host, each with a link to the hosts that have it. */
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
