import { options } from "preact";

/** Characters that turn the direction of all text after them, until a counterpart or the end of the paragraph. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Attributes that are read out or shown. */
const SHOWN = ["title", "aria-label", "placeholder", "alt"] as const;

/**
 * Shows these characters as U+FFFD wherever a page has them: in a name they would turn what stands beside it in the same
 * text. Values of inputs stay as they are, since forms send them back.
 */
export function showTurns(): void {
  const previous = options.vnode;
  options.vnode = (vnode) => {
    const node: { type: unknown; props: unknown } = vnode;
    if (typeof node.props === "string") node.props = visible(node.props);
    else if (typeof node.type === "string") showInAttributes(vnode.props);
    previous?.(vnode);
  };
}

function showInAttributes(props: Record<string, unknown>): void {
  for (const name of SHOWN) {
    const value = props[name];
    if (typeof value === "string") props[name] = visible(value);
  }
}

function visible(text: string): string {
  return text.replace(TURNS, "\ufffd");
}
