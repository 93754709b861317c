/** Unfolds what hides an input that the browser finds invalid: the browser says why only at a visible input. */
export function unfoldInvalid(): void {
  const unfold = ({ target }: Event) => {
    let folded = target instanceof Element ? target.closest("details") : null;
    for (; folded; folded = folded.parentElement?.closest("details") ?? null) folded.open = true;
  };
  // The event does not bubble.
  document.addEventListener("invalid", unfold, { capture: true });
}
