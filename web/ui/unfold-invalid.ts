/** Opens what is folded around each input that the browser finds invalid: it says why only at one that can be seen. */
export function unfoldInvalid(): void {
  const unfold = ({ target }: Event) => {
    let folded = target instanceof Element ? target.closest("details") : null;
    for (; folded; folded = folded.parentElement?.closest("details") ?? null) folded.open = true;
  };
  // The event does not bubble.
  document.addEventListener("invalid", unfold, { capture: true });
}
